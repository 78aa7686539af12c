-- Another thread sets the pace: the launching thread mostly waits for it, each time over a millisecond.
--
-- A camera, a loader, a network. At least ten waits, over half of their time for one thread.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread keeps the pace of {subject}: it waits {total_ns} in {gap_count} gaps while the GPU is idle.
--     do  The input limits the run: make {subject} faster or let it work ahead; a faster GPU does not help.
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
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
WHERE claim.code = 'paced-by-thread'
ORDER BY claim.part_id
