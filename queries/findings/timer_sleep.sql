-- The launching thread sleeps.
--
-- In calls that sleep, such as usleep, or off the CPU for lengths that are those of a timer.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread sleeps ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Wait for the event that ends the sleep instead of a fixed time.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
SELECT
    claim.part_id,
    claim.gpu_id,
    coalesce(claim.subject, 'sleep') AS subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'timer-sleep'
ORDER BY claim.part_id
