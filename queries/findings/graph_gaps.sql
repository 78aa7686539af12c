-- Kernels of a CUDA graph that are so short that the way from one to the next takes much of the time.
--
-- At least 20 gaps inside graphs, in steps three, over 15 % of the part, of less than 20 us on average: longer ones belong to
-- host-functions. The host has launched everything, so that faster host code does not shorten them.
-- Needs  _idle_gap, _kernel_ids
-- Finding
--     says  Inside CUDA graphs the GPU is idle for {total_ns} in {gap_count} gaps, {mean_gap_ns} on average, between kernels of {median_kernel_ns} (median).
--     do  Fuse kernels, so that graphs have fewer and longer ones, or let independent ones run side by side; the host cannot shorten these gaps.
-- Columns
--     gap_count         BIGINT  -- Gaps.
--     mean_gap_ns       BIGINT  -- Mean gap.
--     median_kernel_ns  BIGINT  -- Median kernel.
SELECT
    part.part_id,
    part.gpu_id,
    'CUDA graphs' AS subject,
    sum(idle.idle_ns)::BIGINT AS total_ns,
    sum(idle.idle_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'queued' AS claims,
    sum(idle.gap_count)::BIGINT AS gap_count,
    (sum(idle.idle_ns) // sum(idle.gap_count))::BIGINT AS mean_gap_ns,
    any_value(work.median_kernel_ns)::BIGINT AS median_kernel_ns
FROM part
INNER JOIN part_idle AS idle ON part.part_id = idle.part_id
INNER JOIN _part_work AS work ON part.part_id = work.part_id
WHERE part.kind IN ('series', 'rest', 'work') AND idle.cause = 'graph_dependency'
GROUP BY part.part_id, part.gpu_id, part.kind, part.length_ns
HAVING
    sum(idle.gap_count) >= CASE WHEN part.kind = 'series' THEN RECURRING_COUNT ELSE LAUNCH_GAP_COUNT END
    AND sum(idle.idle_ns) > LAUNCH_SHARE * part.length_ns
    AND sum(idle.idle_ns) <= GRAPH_GAP_NS * sum(idle.gap_count)
ORDER BY part.part_id
