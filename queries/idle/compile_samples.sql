-- A CPU sample of a thread in the compiler of PTX: device code was being compiled at run time.
--
-- A sample counts with the compiler anywhere in its call stack.
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Columns
--     start_ns   BIGINT  -- Time.
--     thread_id  BIGINT  -- Thread (globalTid).
WITH compiler_stack AS (
    SELECT DISTINCT frame.id AS chain_id
    FROM raw.SAMPLING_CALLCHAINS AS frame
    INNER JOIN string ON frame.module = string.id
    WHERE regexp_matches(string.text, 'ptxjitcompiler|libnvrtc|libnvJitLink|libnvidia-nvvm')
)

SELECT
    cpu_sample.start_ns,
    cpu_sample.thread_id
FROM cpu_sample
INNER JOIN compiler_stack ON cpu_sample.chain_id = compiler_stack.chain_id
ORDER BY cpu_sample.start_ns ASC, cpu_sample.thread_id ASC
