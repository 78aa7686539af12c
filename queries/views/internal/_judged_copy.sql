-- Copies and sets of the parts that rules judge (steps, other GPU work), with the part and the link of the GPU.
--
-- Needs  memcpy or memset
-- Engine  table
-- Columns
--     part_copy: part_id, gpu_id, direction, src_kind, dst_kind, is_migration, is_prefetch, bytes, total_ns, count
--     part_copy: exposed_ns, alone_ns, step_count, stream_count, call_name
--     part_ns           BIGINT   -- Length of the part.
--     busy_ns           BIGINT   -- Time in which the GPU worked there.
--     steps             BIGINT   -- Its steps; series only.
--     link_bytes_per_s  DOUBLE   -- Rate of a pinned copy on the GPU's link.
SELECT
    copy.*,
    part.length_ns AS part_ns,
    part.busy_ns,
    part.step_count AS steps,
    coalesce(peak.link_bytes_per_s, LINK_BYTES_PER_S) AS link_bytes_per_s
FROM part
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
LEFT JOIN _gpu_peak AS peak ON part.gpu_id IS NOT DISTINCT FROM peak.gpu_id
WHERE part.kind IN ('series', 'rest', 'work')
