-- Copies and sets of the parts that rules judge (steps, other GPU work), with the part and the link of the GPU.
--
-- Needs  memcpy or memset
-- Engine  table
-- Columns
--     part_id           BIGINT   -- The part.
--     gpu_id            BIGINT   -- Physical GPU.
--     direction         VARCHAR  -- Host-to-Device and the like; Memset.
--     src_kind          VARCHAR  -- Memory copied from, such as Pageable.
--     dst_kind          VARCHAR  -- Memory copied to.
--     is_migration      BOOLEAN  -- Unified memory that moved.
--     is_prefetch       BOOLEAN  -- It moved because the program asked for it ahead.
--     bytes             BIGINT   -- Bytes of each.
--     total_ns          BIGINT   -- Time.
--     count             BIGINT   -- Copies.
--     exposed_ns        BIGINT   -- Time in which no kernel and no copy that began earlier ran.
--     alone_ns          BIGINT   -- Time in which nothing else ran.
--     step_count        BIGINT   -- Steady steps in which it occurs.
--     stream_count      BIGINT   -- Streams.
--     call_name         VARCHAR  -- The call of the first.
--     part_ns           BIGINT   -- Length of the part.
--     busy_ns           BIGINT   -- Time in which the GPU worked there.
--     steps             BIGINT   -- Its steps; series only.
--     link_bytes_per_s  DOUBLE   -- What a pinned copy reaches on the GPU's link.
SELECT
    copy.*,
    part.length_ns AS part_ns,
    part.busy_ns,
    part.step_count AS steps,
    coalesce(peak.link_bytes_per_s, least.link_bytes_per_s) AS link_bytes_per_s
FROM part
CROSS JOIN thresholds AS least
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
LEFT JOIN _gpu_peak AS peak ON part.gpu_id IS NOT DISTINCT FROM peak.gpu_id
WHERE part.kind IN ('series', 'rest', 'work')
