-- NVTX ranges that open and close on one thread, or were never closed.
--
-- Ranges that can nest in another range and contain calls of the thread. A start/end range that another thread closed
-- belongs to neither. One that was never closed ends with the last of all ranges, as in NVIDIA's reports; in
-- _nvtx_own_range it goes on, as idle time can follow.
-- Needs  _nvtx_range_ids
-- Columns
--     usual: row_id, thread_id, start_ns
--     end_ns     BIGINT  -- End; never before the start.
SELECT
    row_id,
    thread_id,
    start_ns,
    greatest(start_ns, end_ns) AS end_ns
FROM _nvtx_range_ids
WHERE end_thread_id IS NULL
