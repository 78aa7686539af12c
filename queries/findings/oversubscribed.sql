-- The launching thread is preempted while the program's threads use all of its CPUs.
--
-- By the scheduling events, the CPUs that the program used run its threads for over 90 % of the part.
-- Needs  _idle_gap, SCHED_EVENTS
-- Finding
--     says  The program's threads use its {cpu_count} CPUs {used_pct}% of the time; the launching thread is preempted for {total_ns} of idle time.
--     do  Use fewer threads than CPUs (OMP_NUM_THREADS, torch.set_num_threads, fewer workers), or more CPUs.
-- Columns
--     cpu_count  BIGINT  -- CPUs that the program used.
--     used_pct   DOUBLE  -- Share of their time that its threads use.
SELECT
    claim.part_id,
    claim.gpu_id,
    'all threads' AS subject,
    claim.idle_ns AS total_ns,
    claim.idle_ns AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'long' AS claims,
    cpu.cpu_count,
    100 * cpu.share AS used_pct
FROM _part_claim AS claim
INNER JOIN _part_cpu AS cpu ON claim.part_id = cpu.part_id
CROSS JOIN thresholds AS least
WHERE claim.code = 'preempted' AND cpu.share > least.cpu_share
ORDER BY claim.part_id
