-- The launching thread is preempted while threads use all of the program's CPUs.
--
-- By the scheduling events, the CPUs on which the program ran are in use over 90 % of the part: by its own threads, or by
-- those of other processes, such as data loader workers, if these have more than a tenth.
-- Needs  _idle_gap, SCHED_EVENTS
-- Finding
--     says if is_own  The program's threads use its {cpu_count} CPUs {used_pct}% of the time; the launching thread is preempted for {total_ns} of idle time.
--     says  Threads use the program's {cpu_count} CPUs {used_pct}% of the time, its own only {own_pct}%; the launching thread is preempted for {total_ns} of idle time.
--     do if is_own  Use fewer threads than CPUs (OMP_NUM_THREADS, torch.set_num_threads), or more CPUs.
--     do  Run fewer processes beside it (data loader workers, other programs), or give it CPUs of its own (taskset, numactl).
-- Columns
--     cpu_count  BIGINT   -- CPUs that the program used.
--     used_pct   DOUBLE   -- Share of their time that threads use.
--     own_pct    DOUBLE   -- The same of the program's threads.
--     is_own     BOOLEAN  -- The program's threads have at least nine tenths of it.
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
    100 * cpu.share AS used_pct,
    100 * cpu.own_share AS own_pct,
    cpu.own_share >= CPU_SHARE * cpu.share AS is_own
FROM _part_claim AS claim
INNER JOIN _part_cpu AS cpu ON claim.part_id = cpu.part_id
WHERE claim.code = 'preempted' AND cpu.share > CPU_SHARE
ORDER BY claim.part_id
