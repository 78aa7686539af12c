-- Long gaps in which the host works and the program has the driver load or link new code.
--
-- Needs  _idle_gap
-- Columns
--     part_id  BIGINT  -- The part.
--     gap_id   BIGINT  -- The gap.
SELECT
    part_id,
    unnest(long_gaps::BIGINT[]) AS gap_id
FROM _part_idle
WHERE claim = 'once' AND is_host_work(cause) AND is_long
