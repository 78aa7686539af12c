-- NVTX ranges of one thread that last at least 50 us, or were never closed, with their texts as ids.
--
-- Needs  NVTX_EVENTS
-- Columns
--     _nvtx_own_range: thread_id, start_ns, end_ns, row_id, text_id, plain_text
SELECT
    thread_id,
    start_ns,
    coalesce(end_ns, 9223372036854775807) AS end_ns,
    row_id,
    text_id,
    text AS plain_text
FROM _nvtx_few
WHERE is_own AND (end_ns IS NULL OR end_ns - start_ns >= 50000)
