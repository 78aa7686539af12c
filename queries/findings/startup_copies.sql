-- Copies in start-up while no kernel runs.
--
-- Over 10 % of the GPU's window. They happen once, so pinning need not pay; after start-up other rules have the copies.
-- Needs  memcpy
-- Finding
--     says  Copies while no kernel runs take {total_ns}: {total_bytes}, most {subject}, at {rate_bytes_per_s}.
--     do if is_pageable  Copy less, or begin timing after them. Pinned memory copies faster, but pinning takes time itself.
--     do  Copy less, or begin timing after them.
-- Columns
--     total_bytes       BIGINT   -- Bytes.
--     rate_bytes_per_s  BIGINT   -- Their rate.
--     is_pageable       BOOLEAN  -- Most of the time is copies from or to pageable memory.
SELECT
    copy.part_id,
    copy.gpu_id,
    arg_max(copy.direction, row(copy.exposed_ns, copy.direction)) AS subject,
    sum(copy.exposed_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'certain' AS certainty,
    true AS once,
    'copy' AS claims,
    sum(copy.bytes * copy.count)::BIGINT AS total_bytes,
    (sum(copy.bytes * copy.count) * 1e9 / sum(copy.total_ns))::BIGINT AS rate_bytes_per_s,
    2 * sum(copy.exposed_ns) FILTER (WHERE 'Pageable' IN (copy.src_kind, copy.dst_kind))
    > sum(copy.exposed_ns) AS is_pageable
FROM part
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
WHERE part.kind = 'startup' AND NOT copy.is_migration AND copy.direction <> 'Memset'
GROUP BY copy.part_id, copy.gpu_id
HAVING sum(copy.exposed_ns) > AFTER_SHARE * any_value(part.window_ns)
ORDER BY copy.part_id
