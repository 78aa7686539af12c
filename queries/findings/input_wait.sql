-- Long gaps in which the launching thread waits for input: I/O, a lock, a data loader.
--
-- Gaps of at least 200 us. A thread that is off the CPU in no traced call waits for something that the export does not
-- name; then it is only possible.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread waits ({subject}) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Prefetch the input in other threads or processes, use more workers and pinned memory.
-- Columns
--     gap_count   BIGINT   -- Gaps.
--     longest_ns  BIGINT   -- The longest.
--     nvtx_path   VARCHAR  -- NVTX ranges of most of it.
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    CASE WHEN claim.is_known THEN 'likely' ELSE 'possible' END AS certainty,
    false AS once,
    'long' AS claims,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'input-wait'
ORDER BY claim.part_id
