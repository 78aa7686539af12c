-- A call that copies pageable memory, with the time at which the GPU's part of the copy begins or ends.
--
-- To the GPU the CPU first moves the data to a pinned buffer, from the GPU it moves them out of one afterwards; the
-- call takes the time of both. Of a call with several copies, the last one's end or the first one's start.
-- Needs  memcpy
-- Engine  whole
-- Columns
--     call_id      BIGINT                 -- Position of the call in the export's table.
--     border_ns    BIGINT                 -- Start of the copy to the GPU, or end of the copy from it.
--     staged_part  ENUM('first', 'last')  -- Which part of the call before and after is the CPU's work.
SELECT
    call_id,
    CASE WHEN bool_and(detail_id = 2) THEN max(end_ns) ELSE min(start_ns) END AS border_ns,
    CASE WHEN bool_and(detail_id = 2) THEN 'last' ELSE 'first' END::ENUM('first', 'last') AS staged_part
FROM _activity_launch
WHERE is_pageable AND call_id IS NOT NULL AND detail_id IN (1, 2)
GROUP BY call_id
