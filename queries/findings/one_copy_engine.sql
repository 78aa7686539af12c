-- Copies to the GPU and back that never overlap.
--
-- The GPU has a copy engine for each direction. The directions alternate at least three times; each has at least three
-- copies, and over 5 % of the part with copies while no kernel runs. The bound is the shorter direction.
-- Needs  memcpy
-- Finding
--     says  Copies to the GPU ({up_ns}) and back ({down_ns}) never overlap.
--     do  Copy both ways at the same time: pinned memory and a stream for each direction.
-- Columns
--     up_ns    BIGINT  -- Time of copies to the GPU while no kernel runs.
--     down_ns  BIGINT  -- Time of copies back while no kernel runs.
WITH copied AS (
    SELECT
        work.part_id,
        copy.direction,
        work.exposed_ns,
        least(
            work.end_ns,
            coalesce(max(CASE WHEN copy.direction = 'Host-to-Device' THEN work.end_ns END) OVER before, work.start_ns)
        ) - work.start_ns AS beside_up_ns,
        least(
            work.end_ns,
            coalesce(max(CASE WHEN copy.direction = 'Device-to-Host' THEN work.end_ns END) OVER before, work.start_ns)
        ) - work.start_ns AS beside_down_ns
    FROM _part_activity AS work
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE work.kind = 'memcpy' AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
    WINDOW before AS (
        PARTITION BY work.part_id ORDER BY work.start_ns, work.row_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),

summed AS (
    SELECT
        part_id,
        count(*) FILTER (WHERE direction = 'Host-to-Device') AS up_count,
        count(*) FILTER (WHERE direction = 'Device-to-Host') AS down_count,
        sum(exposed_ns) FILTER (WHERE direction = 'Host-to-Device') AS up_ns,
        sum(exposed_ns) FILTER (WHERE direction = 'Device-to-Host') AS down_ns,
        sum(greatest(CASE WHEN direction = 'Host-to-Device' THEN beside_down_ns ELSE beside_up_ns END, 0)) AS both_ns
    FROM copied
    GROUP BY part_id
)

SELECT
    part.part_id,
    part.gpu_id,
    'copies both ways' AS subject,
    (summed.up_ns + summed.down_ns)::BIGINT AS total_ns,
    least(summed.up_ns, summed.down_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'copy' AS claims,
    summed.up_ns::BIGINT AS up_ns,
    summed.down_ns::BIGINT AS down_ns
FROM part
INNER JOIN summed ON part.part_id = summed.part_id
INNER JOIN _copy_turn AS turn ON part.part_id = turn.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND least(summed.up_count, summed.down_count) >= ONE_WAY_COUNT
    AND turn.turn_count >= ONE_WAY_COUNT
    AND coalesce(summed.both_ns, 0) = 0
    AND least(summed.up_ns, summed.down_ns) > ONE_WAY_SHARE * part.length_ns
ORDER BY part.part_id
