-- CPU samples with the function that their call stack is attributed to, and what was running.
--
-- Needs  COMPOSITE_EVENTS
-- Columns
--     chain_id   BIGINT   -- The sample.
--     thread_id  BIGINT   -- Thread (globalTid).
--     start_ns   BIGINT   -- Time.
--     function   VARCHAR  -- The function, as the view call_site attributes it; NULL if there is none.
--     module     VARCHAR  -- The file of its module.
--     is_python  BOOLEAN  -- The stack passes through the Python interpreter.
--     ran        VARCHAR  -- python: the interpreter itself; system: the kernel; native: anything else.
WITH leaf AS (
    SELECT
        frame.id AS chain_id,
        CASE
            WHEN frame.kernelMode = 1 OR starts_with(module.text, '[kernel') THEN 'system'
            WHEN regexp_matches(module.text, '(^|[/\\])(python[0-9.]*|libpython[^/\\]*|pypy[0-9.]*)$') THEN 'python'
            ELSE 'native'
        END AS ran
    FROM raw.SAMPLING_CALLCHAINS AS frame
    LEFT JOIN string AS module ON frame.module = module.id
    WHERE frame.stackDepth = 0
)

SELECT
    cpu_sample.chain_id,
    cpu_sample.thread_id,
    cpu_sample.start_ns,
    call_site.function,
    call_site.module,
    _interpreter_stack.chain_id IS NOT NULL AS is_python,
    coalesce(leaf.ran, 'native') AS ran
FROM cpu_sample
LEFT JOIN leaf ON cpu_sample.chain_id = leaf.chain_id
LEFT JOIN call_site
    ON
        cpu_sample.chain_id = call_site.chain_id
        AND call_site.source = 'COMPOSITE_EVENTS'
LEFT JOIN _interpreter_stack
    ON
        cpu_sample.chain_id = _interpreter_stack.chain_id
        AND _interpreter_stack.source = 'COMPOSITE_EVENTS'
