-- A GPU, with the start of the last work on it whose launch is recorded.
--
-- Needs  _gpu_work_ids
-- Engine  whole
-- Columns
--     gpu_id   BIGINT  -- Physical GPU.
--     last_ns  BIGINT  -- Start.
SELECT
    gpu_id,
    max(start_ns) AS last_ns
FROM _activity_launch
WHERE call_id IS NOT NULL
GROUP BY gpu_id
