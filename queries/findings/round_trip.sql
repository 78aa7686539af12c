-- Data that go to the GPU and come back equally often.
--
-- Copies of one size over 64 kB in both directions, equally often within 10 %, at least three times and 0.9 times a step;
-- the directions alternate at least three times. The bound keeps one copy each way. Whether the same data come back is not
-- recorded: input and results of one size look the same.
-- Needs  memcpy
-- Finding
--     says  {size_bytes} go to the GPU and back {count} times: {total_ns}.
--     do  Keep the data on the GPU between steps; copy them back once.
-- Columns
--     size_bytes  BIGINT   -- Size of a copy.
--     count       BIGINT   -- Copies in each direction.
WITH size AS (
    SELECT
        copy.part_id,
        copy.gpu_id,
        copy.bytes,
        any_value(copy.steps) AS steps,
        coalesce(sum(copy.count) FILTER (WHERE copy.direction = 'Host-to-Device'), 0) AS up,
        coalesce(sum(copy.count) FILTER (WHERE copy.direction = 'Device-to-Host'), 0) AS down,
        sum(copy.exposed_ns) AS exposed_ns,
        sum(copy.total_ns) AS total_ns
    FROM _judged_copy AS copy
    WHERE
        copy.bytes > SMALL_COPY_BYTES AND NOT copy.is_migration
        AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
    GROUP BY copy.part_id, copy.gpu_id, copy.bytes
)

SELECT
    size.part_id,
    size.gpu_id,
    'copies both ways' AS subject,
    sum(size.total_ns)::BIGINT AS total_ns,
    sum(size.exposed_ns * (1 - 2 / (size.up + size.down)))::BIGINT AS saves_ns,
    'at most' AS bound,
    'possible' AS certainty,
    false AS once,
    'copy' AS claims,
    arg_max(size.bytes, row(size.total_ns, size.bytes)) AS size_bytes,
    sum(least(size.up, size.down))::BIGINT AS count
FROM size
INNER JOIN _copy_turn AS turn ON size.part_id = turn.part_id
WHERE
    turn.turn_count >= ONE_WAY_COUNT
    AND least(size.up, size.down) >= greatest(3, ROUND_TRIP_SHARE * coalesce(size.steps, 3))
    AND abs(size.up - size.down) <= ROUND_TRIP_ALIKE * greatest(size.up, size.down)
GROUP BY size.part_id, size.gpu_id
ORDER BY size.part_id
