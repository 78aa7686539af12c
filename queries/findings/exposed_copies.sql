-- Copies, also prefetches of unified memory, while no kernel runs.
--
-- A second stream or double buffering hides them under kernels, for at most as long as kernels run. If that is less than
-- half of the copies' time, copying less saves more. The bound counts pageable copies at the link's rate, plus 3 us
-- each; the rest of their time belongs to pageable-copies.
-- Needs  memcpy
-- Finding
--     says if is_mixed  Copies while no kernel runs take {total_ns} ({subject} {most_ns}, {other} {other_ns}).
--     says  Copies while no kernel runs take {total_ns} ({subject}).
--     do if is_within  Work in place, or swap pointers, instead of copying within the GPU.
--     do if is_only  Copy less: keep data on the GPU, use smaller types. There are no kernels to overlap with.
--     do if is_both  Copy less: keep data on the GPU, use smaller types. On two streams both directions overlap each other and the kernels ({kernel_ns}).
--     do if is_longer  Copy less: keep data on the GPU, use smaller types. Overlap with kernels hides at most {kernel_ns}.
--     do  Overlap them with kernels (second stream, double buffering), or copy less.
-- Columns
--     most_ns    BIGINT   -- Time of the direction with the most.
--     other      VARCHAR  -- Direction with the second most; NULL if none.
--     other_ns   BIGINT   -- Its time.
--     is_mixed   BOOLEAN  -- The first direction has less than 95 %.
--     kernel_ns  BIGINT   -- Time in which the GPU did something else.
--     is_only    BOOLEAN  -- The GPU did nothing else.
--     is_longer  BOOLEAN  -- The copies take more than twice kernel_ns.
--     is_both    BOOLEAN  -- is_longer, the second direction between host and GPU has a fifth or more, and they could overlap more.
--     is_within  BOOLEAN  -- Most of the time is copies within the GPU.
WITH copy AS (
    SELECT
        copy.part_id,
        copy.gpu_id,
        copy.direction,
        (NOT copy.is_migration OR copy.is_prefetch) AND copy.direction <> 'Memset' AS is_copy,
        any_value(copy.busy_ns) AS busy_ns,
        sum(copy.exposed_ns)::BIGINT AS exposed_ns,
        sum(CASE
            WHEN NOT coalesce('Pageable' IN (copy.src_kind, copy.dst_kind), false) THEN copy.exposed_ns
            ELSE least(
                copy.exposed_ns, (copy.bytes / copy.link_bytes_per_s * 1e9 + COPY_OVERHEAD_NS) * copy.count
            )
        END) AS saves_ns
    FROM _judged_copy AS copy
    GROUP BY ALL
)

SELECT
    copy.part_id,
    copy.gpu_id,
    (list(copy.direction ORDER BY copy.exposed_ns DESC, copy.direction ASC) FILTER (WHERE copy.is_copy))[1] AS subject,
    sum(copy.exposed_ns) FILTER (WHERE copy.is_copy)::BIGINT AS total_ns,
    sum(copy.saves_ns) FILTER (WHERE copy.is_copy)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    max(copy.exposed_ns) FILTER (WHERE copy.is_copy) AS most_ns,
    (list(copy.direction ORDER BY copy.exposed_ns DESC, copy.direction ASC) FILTER (WHERE copy.is_copy))[2] AS other,
    (list(copy.exposed_ns ORDER BY copy.exposed_ns DESC) FILTER (WHERE copy.is_copy))[2] AS other_ns,
    max(copy.exposed_ns) FILTER (WHERE copy.is_copy)
    < 0.95 * sum(copy.exposed_ns) FILTER (WHERE copy.is_copy) AS is_mixed,
    (any_value(copy.busy_ns) - sum(copy.exposed_ns))::BIGINT AS kernel_ns,
    any_value(copy.busy_ns) <= sum(copy.exposed_ns) AND subject <> 'Device-to-Device' AS is_only,
    2 * (any_value(copy.busy_ns) - sum(copy.exposed_ns))
    < sum(copy.exposed_ns) FILTER (WHERE copy.is_copy) AS is_longer,
    is_longer
    AND subject IN ('Host-to-Device', 'Device-to-Host')
    AND other IN ('Host-to-Device', 'Device-to-Host')
    AND 5 * other_ns >= sum(copy.exposed_ns) FILTER (WHERE copy.is_copy)
    AND 2 * coalesce(any_value(turn.both_ns), 0) < other_ns
    AND coalesce(any_value(gpu.copy_engine_count) > 1, true) AS is_both,
    subject = 'Device-to-Device' AS is_within
FROM copy
LEFT JOIN _copy_turn AS turn ON copy.part_id = turn.part_id
LEFT JOIN gpu ON copy.gpu_id = gpu.gpu_id
GROUP BY copy.part_id, copy.gpu_id
HAVING bool_or(copy.is_copy)
ORDER BY copy.part_id
