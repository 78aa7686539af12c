-- Recorded call stacks that pass through the Python interpreter: a line of Python called what is innermost in them.
--
-- Columns
--     source    VARCHAR  -- NVIDIA's table of what the stack belongs to.
--     chain_id  BIGINT   -- The stack's number there.
WITH interpreter AS (
    SELECT id
    FROM string
    WHERE regexp_matches(text, '(^|[/\\])(python[0-9.]*|libpython[^/\\]*|pypy[0-9.]*)$')
)

SELECT DISTINCT
    'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
    frame.id AS chain_id
FROM raw.CUDA_CALLCHAINS AS frame
SEMI JOIN interpreter ON frame.module = interpreter.id
UNION ALL
SELECT DISTINCT
    'OSRT_API' AS source,
    frame.id AS chain_id
FROM raw.OSRT_CALLCHAINS AS frame
SEMI JOIN interpreter ON frame.module = interpreter.id
UNION ALL
SELECT DISTINCT
    'COMPOSITE_EVENTS' AS source,
    frame.id AS chain_id
FROM raw.SAMPLING_CALLCHAINS AS frame
SEMI JOIN interpreter ON frame.module = interpreter.id
