-- How often copies to the GPU and copies back take turns in a part.
--
-- Input at the beginning and results at the end are one turn, however many copies they are.
-- Needs  memcpy
-- Engine  table
-- Columns
--     usual: part_id
--     turn_count  BIGINT  -- Changes of direction.
WITH copied AS (
    SELECT
        work.part_id,
        copy.direction <> lag(copy.direction) OVER (
            PARTITION BY work.part_id ORDER BY work.start_ns, work.row_id
        ) AS is_turn
    FROM _part_activity AS work
    INNER JOIN memcpy AS copy ON work.row_id = copy.row_id
    WHERE
        work.kind = 'memcpy' AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
        AND copy.copy_kind NOT IN (11, 12, 13)
)

SELECT
    part_id,
    count(*) FILTER (WHERE is_turn) AS turn_count
FROM copied
GROUP BY part_id
