-- Idle time that the profiler causes.
--
-- Over 5 % of the part. A run without the profiler does not have it.
-- Needs  _idle_gap
-- Finding
--     says  The profiler itself causes {total_ns} of the idle time.
--     do  Trace less; a run without the profiler does not have this time.
-- Columns
--     _part_claim: gap_count, longest_ns, nvtx_path
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    false AS once,
    'profiler' AS claims,
    claim.gap_count,
    claim.longest_ns,
    claim.nvtx_path
FROM _part_claim AS claim
INNER JOIN part ON claim.part_id = part.part_id
WHERE
    claim.code = 'profiler'
    AND claim.idle_ns > PROFILER_SHARE * part.length_ns
ORDER BY claim.part_id
