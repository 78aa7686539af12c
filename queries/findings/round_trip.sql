-- Data that go to the GPU and come back as often.
--
-- Copies of one size over 64 kB in both directions, equally often within 10 %, and at least 0.9 times a step.
-- Needs  memcpy
-- Finding
--     says  {size_bytes} go to the GPU and back {count} times: {total_ns}.
--     do  Keep the data on the GPU between steps; copy them back once.
-- Columns
--     size_bytes  BIGINT   -- Size of a copy.
--     count       BIGINT   -- Copies in each direction.
WITH size AS (
    SELECT
        part_id,
        bytes,
        coalesce(sum(count) FILTER (WHERE direction = 'Host-to-Device'), 0) AS up,
        coalesce(sum(count) FILTER (WHERE direction = 'Device-to-Host'), 0) AS down,
        sum(exposed_ns) AS exposed_ns,
        sum(total_ns) AS total_ns
    FROM part_copy
    WHERE bytes > 65536 AND NOT is_migration AND direction IN ('Host-to-Device', 'Device-to-Host')
    GROUP BY part_id, bytes
)

SELECT
    part.part_id,
    part.gpu_id,
    any_value('copies both ways') AS subject,
    sum(size.total_ns)::BIGINT AS total_ns,
    (sum(size.exposed_ns * (1 - 2 / (size.up + size.down))))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims,
    arg_max(size.bytes, size.total_ns) AS size_bytes,
    sum(least(size.up, size.down))::BIGINT AS count
FROM part
INNER JOIN size ON part.part_id = size.part_id
WHERE
    part.kind IN ('series', 'rest', 'work')
    AND least(size.up, size.down) >= greatest(3, 0.9 * coalesce(part.step_count, 3))
    AND abs(size.up - size.down) <= 0.1 * greatest(size.up, size.down)
GROUP BY part.part_id, part.gpu_id
ORDER BY part.part_id
