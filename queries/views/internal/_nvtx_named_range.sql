-- NVTX ranges of one thread, with their names, for reports about GPU work.
--
-- The ranges of _nvtx_thread_range.
-- Needs  _nvtx_range_ids
-- Columns
--     end_ns       BIGINT   -- End, or the latest timestamp of any range.
--     is_push_pop  BOOLEAN  -- Pushed and popped, not started and ended.
--     name         VARCHAR  -- domain:text, or the text if there is no domain.
SELECT
    row_id,
    thread_id,
    start_ns,
    end_ns,
    style = 'PushPop' AS is_push_pop,
    name
FROM nvtx_range
WHERE end_thread_id IS NULL
