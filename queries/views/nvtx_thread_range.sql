-- An NVTX range that lies on one thread: opened and closed there, or never closed.
--
-- What can nest in another range and hold calls of the thread. A start/end range that another thread closed
-- belongs to neither.
-- Needs  nvtx_range_record
-- Columns
--     row_id     BIGINT  -- Position in the export's table.
--     thread_id  BIGINT  -- Thread (globalTid).
--     start_ns   BIGINT  -- Start.
--     end_ns     BIGINT  -- End; never before the start.
SELECT
    row_id,
    thread_id,
    start_ns,
    greatest(start_ns, end_ns) AS end_ns
FROM nvtx_range_record
WHERE end_thread_id IS NULL
