-- The kernel with the most time.
--
-- It has over 10 % of the part, certainly with half of it: the time in which it runs alone or, if more, its share of the
-- busy time by the blocks of all kernels. What a faster kernel would save is unknown. Communication kernels do not
-- count, nor kernels below 3 us in a part that is launch-bound: they are mostly their launch.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} has the most time: {total_ns} in {count} launches, mean {mean_ns}.
--     do if is_check  It belongs to the autotuning of XLA or TensorFlow: warm up before you measure.
--     do if library  Change its shapes, data type or number of calls.
--     do  Profile it with Nsight Compute: ncu --kernel-name regex:{short_name} --launch-skip {launches_before} --launch-count 1.
-- Columns
--     count            BIGINT   -- Launches.
--     mean_ns          BIGINT   -- Mean duration.
--     is_check         BOOLEAN  -- Redzone checks of autotuning.
--     library          VARCHAR  -- Library.
--     short_name       VARCHAR  -- Function name for ncu, or its beginning.
--     launches_before  BIGINT   -- Launches of this kernel before the part.
WITH weighed AS (
    SELECT
        *,
        coalesce(filled_ns, total_ns) AS weight,
        greatest(alone_ns, least(total_ns, busy_ns * weight / sum(weight) OVER (PARTITION BY part_id))) AS own_ns
    FROM _judged_kernel
    WHERE class <> 'communication'
),

largest AS (
    SELECT
        kernel.part_id,
        kernel.gpu_id,
        kernel.name AS subject,
        sum(kernel.total_ns)::BIGINT AS total_ns,
        sum(kernel.own_ns)::BIGINT AS saves_ns,
        'unknown' AS bound,
        CASE WHEN 2 * sum(kernel.own_ns) >= kernel.part_ns THEN 'certain' ELSE 'likely' END AS certainty,
        false AS once,
        'kernel' AS claims,
        sum(kernel.count)::BIGINT AS count,
        (sum(kernel.total_ns) / sum(kernel.count))::BIGINT AS mean_ns,
        contains(kernel.name, 'redzone_checker') AS is_check,
        any_value(kernel.library) AS library,
        left(
            coalesce(
                nullif(
                    regexp_extract(
                        regexp_replace(any_value(kernel.name), '^void |(_[0-9]+)?\.\.\.$', '', 'g'),  -- nsys cut the name
                        '([A-Za-z_][A-Za-z0-9_]*)(?:\$[0-9]+|\[[^\]]*\])*(?:[<(]|$)',
                        1
                    ),
                    ''
                ),
                regexp_extract(any_value(kernel.name), '[A-Za-z_][A-Za-z0-9_]*')
            ),
            60
        ) AS short_name
    FROM weighed AS kernel
    GROUP BY kernel.part_id, kernel.gpu_id, kernel.name, kernel.part_ns
    HAVING
        sum(kernel.own_ns) > LARGEST_SHARE * kernel.part_ns
        AND (mean_ns >= TINY_KERNEL_NS OR kernel.part_id NOT IN (SELECT bound.part_id FROM _launch_bound AS bound))
    QUALIFY row_number() OVER (PARTITION BY kernel.part_id ORDER BY sum(kernel.own_ns) DESC, kernel.name) = 1
),

launched AS (
    SELECT
        work.part_id,
        string.text AS name,
        row_number() OVER (PARTITION BY work.process_id, work.detail_id ORDER BY work.start_ns, work.row_id) - 1 AS nth
    FROM _part_activity AS work
    INNER JOIN string ON work.detail_id = string.id
    WHERE work.kind = 'kernel' AND string.text IN (SELECT subject FROM largest)
)

SELECT
    *,
    (SELECT min(nth) FROM launched WHERE part_id = largest.part_id AND name = largest.subject) AS launches_before
FROM largest
ORDER BY part_id
