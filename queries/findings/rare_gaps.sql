-- Idle time in steps that does not recur: one or a few gaps have most of it.
--
-- It occurs in fewer than half of the steps, in one or two gaps or over half of it in one gap. That gap has at least
-- 200 us of it, and all of it is over 5 % of the part. If the other gaps recur, it is that gap alone.
-- Needs  _idle_gap
-- Finding
--     says  Single long gaps: {total_ns} of idle time in {gap_count} gaps ({subject}).
--     do if is_module  Load it before the loop: warm up with all kernels and shapes that the loop uses.
--     do  nsysql idle-gaps shows what the program did then: do it less often, or in another thread.
-- Columns
--     is_module  BOOLEAN  -- Modules are loaded, or contexts set up.
--     _part_claim: gap_count, longest_ns
SELECT
    claim.part_id,
    claim.gpu_id,
    claim.subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    true AS once,
    'long' AS claims,
    claim.subject IN (
        SELECT name
        FROM _api_cause
        WHERE cause IN ('module_load', 'context_setup')
    ) AS is_module,
    claim.gap_count,
    claim.longest_ns
FROM _part_claim AS claim
INNER JOIN part ON claim.part_id = part.part_id
WHERE
    claim.code = 'rare-gaps'
    AND claim.longest_ns >= SHORT_GAP_NS
    AND claim.idle_ns > RARE_SHARE * part.length_ns
ORDER BY claim.part_id ASC, claim.idle_ns DESC, claim.subject ASC
