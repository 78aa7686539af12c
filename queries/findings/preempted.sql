-- The launching thread is ready to run, but another thread has its CPU.
--
-- By the scheduling events of the operating system: the thread resumes on the CPU where another one replaced it. If the
-- program's own threads use all of its CPUs, it belongs to oversubscribed.
-- Needs  _idle_gap
-- Finding
--     says  The launching thread lost its CPU to another thread: {total_ns} of idle time in {gap_count} gaps.
--     do  Give it a core: fewer busy threads, CPU affinity, no oversubscribed container.
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
LEFT JOIN _part_cpu AS cpu ON claim.part_id = cpu.part_id
WHERE claim.code = 'preempted' AND coalesce(cpu.share, 0) <= CPU_SHARE
ORDER BY claim.part_id
