-- NVTX push/pop ranges, as `nsys stats` nests them.
--
-- One that was never closed ends at the latest timestamp of any push/pop range.
-- Needs  NVTX_EVENTS
-- Columns
--     usual: row_id, thread_id, start_ns
--     end_ns     BIGINT   -- End; never before the start.
--     name       VARCHAR  -- domain:text, or the text if there is no domain.
SELECT
    row_id,
    thread_id,
    start_ns,
    greatest(
        start_ns,
        CASE WHEN is_open THEN (SELECT _nvtx_end_time.push_pop_ns FROM _nvtx_end_time) ELSE end_ns END
    ) AS end_ns,
    name
FROM nvtx_range
WHERE style = 'PushPop'
