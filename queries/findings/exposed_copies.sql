-- Copies with no kernel beside them, also prefetches of unified memory.
--
-- A second stream or double buffering hides them under kernels, at most as long as kernels run.
-- Needs  memcpy
-- Finding
--     says  Copies without a kernel beside them take {total_ns} ({subject}).
--     do  Overlap them with kernels: a second stream, double buffering; copy less.
SELECT
    copy.part_id,
    copy.gpu_id,
    arg_max(copy.direction, row(copy.exposed_ns, copy.direction)) AS subject,
    sum(copy.exposed_ns)::BIGINT AS total_ns,
    sum(CASE
        WHEN 'Pageable' IN (copy.src_kind, copy.dst_kind)
            THEN least(copy.exposed_ns, copy.bytes * copy.count / copy.link_bytes_per_s * 1e9)
        ELSE copy.exposed_ns
    END)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'copy' AS claims
FROM _judged_copy AS copy
WHERE (NOT copy.is_migration OR copy.is_prefetch) AND copy.direction <> 'Memset'
GROUP BY copy.part_id, copy.gpu_id
ORDER BY copy.part_id
