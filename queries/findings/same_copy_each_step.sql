-- Copies of the same size to the GPU in each step, and none of that size back.
--
-- Larger than 64 kB, as many in each step, in at least nine of ten steps. Whether the data are the same is not recorded:
-- new input looks alike. If they are the same, all copies but those of the first step can be saved.
-- Needs  memcpy
-- Finding
--     says if is_several  {size_bytes} in {copy_count} copies go to the GPU in each of {count} steps: {total_ns}.
--     says  {size_bytes} are copied to the GPU once a step in {count} steps: {total_ns}.
--     do  If the data do not change, copy them once before the loop.
-- Columns
--     size_bytes  BIGINT   -- Bytes copied in each step.
--     copy_count  BIGINT   -- Copies in each step.
--     is_several  BOOLEAN  -- There is more than one.
--     count       BIGINT   -- Steps with such copies.
WITH size AS (
    SELECT
        copy.part_id,
        copy.gpu_id,
        copy.bytes,
        any_value(copy.steps) AS steps,
        any_value(copy.part_ns) AS part_ns,
        sum(copy.count) FILTER (WHERE copy.direction = 'Host-to-Device') AS up,
        max(copy.step_count) FILTER (WHERE copy.direction = 'Host-to-Device') AS up_steps,
        count(*) FILTER (WHERE copy.direction = 'Device-to-Host') AS down,
        sum(copy.exposed_ns) AS exposed_ns,
        sum(copy.total_ns) AS total_ns,
        round(up / nullif(up_steps, 0))::BIGINT AS in_step
    FROM _judged_copy AS copy
    WHERE
        copy.bytes > SMALL_COPY_BYTES AND NOT copy.is_migration
        AND copy.direction IN ('Host-to-Device', 'Device-to-Host')
    GROUP BY copy.part_id, copy.gpu_id, copy.bytes
)

SELECT
    size.part_id,
    size.gpu_id,
    'copies of one size' AS subject,
    sum(size.total_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    'copy' AS claims,
    sum(size.bytes * size.in_step)::BIGINT AS size_bytes,
    sum(size.in_step)::BIGINT AS copy_count,
    sum(size.in_step) > 1 AS is_several,
    min(size.up_steps)::BIGINT AS count
FROM size
WHERE
    size.steps >= 3 AND size.down = 0
    AND size.up_steps >= SAME_COPY_SHARE * size.steps
    AND size.up <= size.in_step * size.steps / SAME_COPY_SHARE
    AND size.exposed_ns > ONE_WAY_SHARE * size.part_ns
GROUP BY size.part_id, size.gpu_id
ORDER BY size.part_id
