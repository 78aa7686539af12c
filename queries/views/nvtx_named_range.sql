-- An NVTX range that lies on one thread, with its name: what reports on GPU work read of ranges, in one go.
--
-- The ranges of nvtx_thread_range.
-- Needs  nvtx_range_record
-- Columns
--     row_id       BIGINT   -- Position in the export's table.
--     thread_id    BIGINT   -- Thread (globalTid).
--     start_ns     BIGINT   -- Start.
--     end_ns       BIGINT   -- End, or the latest timestamp of any range.
--     is_push_pop  BOOLEAN  -- Pushed and popped, not started and ended.
--     name         VARCHAR  -- domain:text, or the text where there is no domain.
SELECT
    row_id,
    thread_id,
    start_ns,
    end_ns,
    style = 'PushPop' AS is_push_pop,
    name
FROM nvtx_range
WHERE end_thread_id IS NULL
