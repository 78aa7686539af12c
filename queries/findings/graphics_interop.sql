-- Work is queued without a known reason, and CUDA shares resources with OpenGL, Vulkan or Direct3D.
--
-- Mapping a resource waits for the graphics work on it. Over 5 % of the part.
-- Needs  _idle_gap, _api_call_ids
-- Finding
--     says  Work is queued for {total_ns} next to {subject}.
--     do  Synchronize by external semaphores, and map and unmap resources less often.
-- Columns
--     gap_count  BIGINT  -- Gaps.
WITH queued AS (
    SELECT
        part_id,
        sum(idle_ns)::BIGINT AS idle_ns,
        sum(gap_count)::BIGINT AS gap_count
    FROM part_idle
    WHERE cause = 'queued_unexplained'
    GROUP BY part_id
),

interop AS (
    SELECT
        part_id,
        arg_max(name, row(total_ns, name)) AS name
    FROM part_call
    WHERE regexp_matches(name, 'Graphics.*(Map|Unmap)|(Map|Unmap)Resources|ExternalSemaphoresAsync')
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    interop.name AS subject,
    queued.idle_ns AS total_ns,
    queued.idle_ns AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'queued' AS claims,
    queued.gap_count
FROM part
CROSS JOIN thresholds AS least
INNER JOIN queued ON part.part_id = queued.part_id
INNER JOIN interop ON part.part_id = interop.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND queued.idle_ns > least.queued_share * part.length_ns
ORDER BY part.part_id
