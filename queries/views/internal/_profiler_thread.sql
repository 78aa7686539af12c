-- A thread of the profiler, or one with which CUDA serves its events: none that a program waits for.
--
-- Known by its name: [NSys], [NSys Comms], CUPTI worker thread, cuda-EvtHandlr and the like.
-- Needs  ThreadNames
-- Columns
--     thread_id  BIGINT  -- Thread (globalTid).
SELECT DISTINCT thread_id
FROM thread
WHERE regexp_matches(name, '^\[NSys|^NSys|^CUPTI|^cuda[-0-9]|CommsProcess')
