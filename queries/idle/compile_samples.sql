-- A CPU sample in the PTX JIT compiler: device code was being compiled at run time.
--
-- The compiler is anywhere in its call stack (view _compiler_stack).
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Columns
--     cpu_sample: start_ns, thread_id
SELECT
    cpu_sample.start_ns,
    cpu_sample.thread_id
FROM cpu_sample
INNER JOIN _compiler_stack ON cpu_sample.chain_id = _compiler_stack.chain_id
ORDER BY cpu_sample.start_ns ASC, cpu_sample.thread_id ASC
