-- A CPU sample: the functions that a thread was in at a time.
--
-- Needs  COMPOSITE_EVENTS, SAMPLING_CALLCHAINS
-- Columns
--     usual: thread_id, pid, tid
--     start_ns  BIGINT   -- Time.
--     chain_id  BIGINT   -- Its call stack.
--     stack     VARCHAR  -- Functions, outermost first, between semicolons; a semicolon in a name is a comma; NULL if none.
SELECT
    cpu_sample.thread_id,
    pid_of(cpu_sample.thread_id) AS pid,
    tid_of(cpu_sample.thread_id) AS tid,
    cpu_sample.start_ns,
    cpu_sample.chain_id,
    _sample_stack.names AS stack
FROM cpu_sample
LEFT JOIN _sample_stack ON cpu_sample.chain_id = _sample_stack.chain_id
ORDER BY cpu_sample.start_ns ASC, cpu_sample.thread_id ASC, cpu_sample.chain_id ASC
