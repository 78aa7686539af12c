-- Time in which the OpenMP or OpenACC runtime moves data between pageable memory and its pinned buffer.
--
-- The runtimes of NVIDIA's compilers do so on the thread that launches, before copies to the GPU and after those to the
-- host. No call shows it: it counts where threads spend time in no call in proportion to the bytes of their copies.
-- Needs  _idle_gap
-- Finding
--     says  The OpenMP or OpenACC runtime moves data between pageable memory and its pinned buffer while the GPU is idle: {total_ns} in {gap_count} gaps.
--     do  Copy less: keep the data on the GPU (target data, acc data). Or allocate it in pinned memory: -gpu=pinned, in newer compilers -gpu=mem:separate:pinnedalloc.
-- Columns
--     gap_count  BIGINT  -- Gaps.
SELECT
    idle.part_id,
    idle.gpu_id,
    'pinned buffer' AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    sum(idle.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'staging' AS claims,
    sum(idle.gap_count)::BIGINT AS gap_count
FROM part_idle AS idle
INNER JOIN part ON idle.part_id = part.part_id
WHERE part.kind IN ('series', 'rest', 'work') AND idle.claim = 'staging' AND idle.call_name IS NULL
GROUP BY idle.part_id, idle.gpu_id
ORDER BY idle.part_id
