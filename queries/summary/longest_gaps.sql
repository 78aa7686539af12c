-- A gap: a stretch in which a GPU runs nothing, with the work before and after it, the longest first.
--
-- As idle_gaps, but without causes and so without reading the calls: quick, where only the longest matter.
-- Needs  gpu_stretch_record
-- Parameters
--     top            BIGINT = NULL  -- Longest gaps to keep; NULL keeps all (the command line shows 20).
-- Columns
--     gpu_id         BIGINT   -- Physical GPU.
--     start_ns       BIGINT   -- When the GPU fell idle.
--     end_ns         BIGINT   -- When the next work started.
--     gap_ns         BIGINT   -- How long the GPU was idle.
--     previous_name  VARCHAR  -- Work that ended when the gap began; of several the one that began last.
--     next_name      VARCHAR  -- Work that started when the gap ended; of several the one that ended first.
WITH stretch AS (
    SELECT
        gpu_id,
        end_ns AS start_ns,
        lead(start_ns) OVER (PARTITION BY gpu_id ORDER BY start_ns ASC) AS end_ns
    FROM gpu_stretch_record
    WHERE class = 'any'
),

gap AS (
    SELECT
        gpu_id,
        start_ns,
        end_ns,
        end_ns - start_ns AS gap_ns
    FROM stretch
    WHERE end_ns IS NOT NULL
    ORDER BY gap_ns DESC, gpu_id ASC, start_ns ASC
    LIMIT $top
),

neighbour AS (
    SELECT
        gpu_id,
        start_ns,
        end_ns,
        row_id,
        label,
        name_id
    FROM gpu_work_record
    WHERE
        end_ns > start_ns
        AND (
            end_ns IN (SELECT start_ns FROM gap)
            OR start_ns IN (SELECT end_ns FROM gap)
        )
),

named AS (
    SELECT
        neighbour.* EXCLUDE (label, name_id),
        coalesce(neighbour.label, string.text) AS name
    FROM neighbour
    LEFT JOIN string ON neighbour.name_id = string.id
)

SELECT
    gap.gpu_id,
    gap.start_ns,
    gap.end_ns,
    gap.gap_ns,
    arg_max(previous.name, (previous.start_ns, previous.row_id)) AS previous_name,
    arg_min(next.name, (next.end_ns, next.row_id)) AS next_name
FROM gap
LEFT JOIN named AS previous ON gap.gpu_id = previous.gpu_id AND gap.start_ns = previous.end_ns
LEFT JOIN named AS next ON gap.gpu_id = next.gpu_id AND gap.end_ns = next.start_ns
GROUP BY gap.gpu_id, gap.start_ns, gap.end_ns, gap.gap_ns
ORDER BY gap.gap_ns DESC, gap.gpu_id ASC, gap.start_ns ASC
