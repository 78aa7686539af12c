-- Idle time of a part in which the launching thread launches work on other GPUs.
--
-- Needs  _idle_gap
-- Columns
--     part_id  BIGINT  -- The part.
--     idle_ns  BIGINT  -- Idle time.
SELECT
    part_id,
    sum(idle_ns)::BIGINT AS idle_ns
FROM part_idle
WHERE
    cause = 'other_cuda_api' AND call_name IN (
        SELECT name
        FROM _api_cause
        WHERE is_launch
    )
GROUP BY part_id
