-- Python collects garbage while the GPU is idle.
--
-- CPU samples in the collector, or NVTX ranges named so.
-- Needs  _idle_gap
-- Finding
--     says  Python collects garbage while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  gc.freeze() after set-up and gc.disable() in the loop; collect between epochs.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
SELECT
    claim.part_id,
    claim.gpu_id,
    'garbage collection' AS subject,
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
WHERE claim.code = 'gc-pauses'
ORDER BY claim.part_id
