-- How copies to the GPU and copies back take turns in a part, and whether they overlap each other.
--
-- Input at the beginning and results at the end are one turn, however many copies they are. Of several processes only
-- one counts, that with most time in its shorter direction; its copies can run beside those of the others.
-- Needs  memcpy
-- Engine  table
-- Columns
--     usual: part_id
--     turn_count  BIGINT  -- Changes of direction.
--     up_count    BIGINT  -- Copies to the GPU.
--     down_count  BIGINT  -- Copies back.
--     up_ns       BIGINT  -- Time of copies to the GPU while no kernel runs.
--     down_ns     BIGINT  -- Time of copies back while no kernel runs.
--     both_ns     BIGINT  -- Time in which a copy begins and runs beside an earlier one in the other direction.
WITH copied AS (
    SELECT
        work.part_id,
        work.process_id,
        copy.direction = 'Host-to-Device' AS is_up,
        work.exposed_ns,
        is_up <> lag(is_up) OVER (
            PARTITION BY work.part_id, work.process_id ORDER BY work.start_ns, work.row_id
        ) AS is_turn,
        CASE
            WHEN is_up THEN max(CASE WHEN NOT is_up THEN work.end_ns END) OVER before
            ELSE max(CASE WHEN is_up THEN work.end_ns END) OVER before
        END AS other_end_ns,
        least(work.end_ns, coalesce(other_end_ns, work.start_ns)) - work.start_ns AS beside_ns
    FROM _part_activity AS work
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE
        work.kind = 'memcpy' AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
        AND copy.copy_kind NOT IN (11, 12, 13)
    WINDOW before AS (
        PARTITION BY work.part_id ORDER BY work.start_ns, work.row_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
)

SELECT
    part_id,
    count(*) FILTER (WHERE is_turn) AS turn_count,
    count(*) FILTER (WHERE is_up) AS up_count,
    count(*) FILTER (WHERE NOT is_up) AS down_count,
    coalesce(sum(exposed_ns) FILTER (WHERE is_up), 0)::BIGINT AS up_ns,
    coalesce(sum(exposed_ns) FILTER (WHERE NOT is_up), 0)::BIGINT AS down_ns,
    sum(greatest(beside_ns, 0))::BIGINT AS both_ns
FROM copied
GROUP BY part_id, process_id
QUALIFY row_number() OVER (PARTITION BY part_id ORDER BY least(up_ns, down_ns) DESC, process_id ASC) = 1
