-- Parts in which the GPU waits for launches: short gaps that would be there without synchronization.
--
-- At least 20 gaps below 200 us, in steps three; in such gaps the host launches (its own code, launch calls, latency,
-- other calls) for over 15 % of the part, and the median gap is over 0.3 times the median kernel. Time in which another
-- GPU has its turn does not count. Parts with most of it before small copies belong to many-small-copies, parts in which
-- launches wait for their kernels to launch-blocking.
-- Needs  _idle_gap, _kernel_ids
-- Engine  table
-- Columns
--     usual: part_id, gpu_id
--     step_count        BIGINT  -- Its steps; series only.
--     idle_ns           BIGINT  -- Idle time of the gaps.
--     launch_ns         BIGINT  -- That of it while the host launches.
--     gap_count         BIGINT  -- Gaps.
--     median_gap_ns     BIGINT  -- Median gap.
--     median_kernel_ns  BIGINT  -- Median kernel.
--     is_latency        BOOLEAN -- Most of it is launch latency: the host does nothing else meanwhile, or is ahead.
--     launches_a_step   BIGINT  -- Launches of a step if a CUDA graph can replay it (graph-candidate); else NULL.
WITH call AS (
    SELECT
        part_id,
        sum(count) FILTER (WHERE cause = 'launch') AS launch_count,
        coalesce(sum(count) FILTER (WHERE cause = 'sync'), 0) AS sync_count,
        coalesce(sum(count) FILTER (WHERE cause = 'memory_management'), 0) AS allocation_count
    FROM part_call
    GROUP BY part_id
),

piece AS (
    SELECT
        idle.part_id,
        idle.cause,
        idle.next_kind,
        idle.idle_ns * CASE WHEN idle.claim = 'sync' THEN coalesce(sync.launch_share, 1) ELSE 1 END AS idle_ns
    FROM part_idle AS idle
    LEFT JOIN _part_sync AS sync ON idle.part_id = sync.part_id
    WHERE idle.claim = 'short' OR (idle.claim = 'sync' AND NOT idle.is_long)
),

idle AS (
    SELECT
        piece.part_id,
        least(sum(piece.idle_ns), any_value(turn.none_ns)) AS idle_ns,
        least(
            sum(piece.idle_ns) FILTER (
                WHERE piece.cause IN ('host_code', 'launch_call', 'launch_latency', 'other_cuda_api')
            ),
            any_value(turn.none_ns)
        ) AS launch_ns,
        2 * coalesce(sum(piece.idle_ns) FILTER (WHERE piece.cause = 'launch_latency'), 0) > sum(piece.idle_ns)
            AS is_latency,
        2 * coalesce(sum(piece.idle_ns) FILTER (WHERE piece.next_kind = 'memcpy'), 0) > sum(piece.idle_ns)
            AS is_before_copies
    FROM piece
    LEFT JOIN _gpu_turn AS turn ON piece.part_id = turn.part_id
    GROUP BY piece.part_id
),

gap AS (
    SELECT
        gap.part_id,
        count(*) AS gap_count,
        median(gap.end_ns - gap.start_ns) AS median_ns
    FROM _part_gap AS gap
    LEFT JOIN _part_sync AS sync ON gap.part_id = sync.part_id
    WHERE (gap.drained_by_row IS NULL OR coalesce(sync.launch_share, 1) > 0) AND gap.gap_ns < SHORT_GAP_NS
    GROUP BY gap.part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    part.step_count,
    idle.idle_ns::BIGINT AS idle_ns,
    idle.launch_ns::BIGINT AS launch_ns,
    gap.gap_count,
    gap.median_ns::BIGINT AS median_gap_ns,
    work.median_kernel_ns::BIGINT AS median_kernel_ns,
    idle.is_latency,
    CASE
        WHEN
            part.step_count >= RECURRING_COUNT
            AND call.launch_count >= GRAPH_LAUNCHES * part.step_count
            AND call.launch_count >= 2 * GRAPH_LAUNCHES * call.sync_count
            AND 2 * call.allocation_count < part.step_count
            THEN (call.launch_count / part.step_count)::BIGINT
    END AS launches_a_step
FROM part
INNER JOIN idle ON part.part_id = idle.part_id
INNER JOIN gap ON part.part_id = gap.part_id
INNER JOIN _part_work AS work ON part.part_id = work.part_id
LEFT JOIN call ON part.part_id = call.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND gap.gap_count >= CASE WHEN part.kind = 'series' THEN RECURRING_COUNT ELSE LAUNCH_GAP_COUNT END
    AND idle.launch_ns > LAUNCH_SHARE * part.length_ns
    AND gap.median_ns > LAUNCH_GAP_RATIO * work.median_kernel_ns
    AND NOT work.is_blocking
    AND NOT (work.has_small_copies AND idle.is_before_copies)
