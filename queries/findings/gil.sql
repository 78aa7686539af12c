-- The launching thread waits for Python's global interpreter lock.
--
-- By ranges of the domain GIL Trace (nsys --python-functions-trace or --trace=python-gil).
-- Needs  _idle_gap
-- Finding
--     says  The launching thread waits for Python's lock (GIL) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Move the work of the thread that holds it to another process.
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
WHERE claim.code = 'gil'
ORDER BY claim.part_id
