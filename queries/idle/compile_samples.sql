-- A CPU sample of a thread in the compiler of PTX: device code was being compiled at run time.
--
-- A sample counts with the compiler anywhere in its call stack: libnvidia-ptxjitcompiler, libnvrtc, libnvJitLink and
-- libnvidia-nvvm.
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Columns
--     start_ns   BIGINT  -- Time.
--     thread_id  BIGINT  -- Thread (globalTid).
SELECT
    sample.start_ns,
    sample.thread_id
FROM cpu_sample AS sample
INNER JOIN _call_stack AS stack ON sample.chain_id = stack.chain_id AND stack.source = 'COMPOSITE_EVENTS'
WHERE stack.is_compiling
ORDER BY sample.start_ns ASC, sample.thread_id ASC
