-- A recorded call stack, and what was running: its innermost function, or the module where it has no name.
--
-- Needs  OSRT_CALLCHAINS or CUDA_CALLCHAINS or SAMPLING_CALLCHAINS
-- Columns
--     source    VARCHAR  -- NVIDIA's table of what the stack belongs to.
--     chain_id  BIGINT   -- The stack's number there.
--     leaf      VARCHAR  -- Function and the file of its module, or that file.
WITH frame AS (
    SELECT
        'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
        id,
        symbol,
        module
    FROM raw.CUDA_CALLCHAINS
    WHERE stackDepth = 0
    UNION ALL
    SELECT
        'OSRT_API' AS source,
        id,
        symbol,
        module
    FROM raw.OSRT_CALLCHAINS
    WHERE stackDepth = 0
    UNION ALL
    SELECT
        'COMPOSITE_EVENTS' AS source,
        id,
        symbol,
        module
    FROM raw.SAMPLING_CALLCHAINS
    WHERE stackDepth = 0
)

SELECT
    frame.source,
    frame.id AS chain_id,
    CASE
        WHEN starts_with(symbol.text, '0x') OR starts_with(symbol.text, '[')
            THEN regexp_extract(module.text, '[^/\\]*$')
        ELSE symbol.text || ' (' || regexp_extract(module.text, '[^/\\]*$') || ')'
    END AS leaf
FROM frame
INNER JOIN string AS symbol ON frame.symbol = symbol.id
INNER JOIN string AS module ON frame.module = module.id
