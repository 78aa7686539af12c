-- The launching thread waits for Python's global interpreter lock.
--
-- Seen in NVTX ranges of the domain GIL Trace (nsys --trace=python-gil).
-- Needs  _idle_gap
-- Finding
--     says  The launching thread waits for Python's lock (GIL) while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Move the work of the thread that holds it to another process.
-- Columns
--     _part_claim: gap_count, longest_ns, nvtx_path
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
