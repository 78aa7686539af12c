-- Unified memory that migrates while kernels run.
--
-- A kernel waits for its pages. Saved is at most the time of the migrations.
-- Needs  memcpy
-- Finding
--     says  Pages of unified memory migrate to the GPU for {total_ns} while kernels run.
--     do  cudaMemPrefetchAsync before the launch, or explicit copies.
SELECT
    part.part_id,
    part.gpu_id,
    'unified memory' AS subject,
    sum(copy.total_ns)::BIGINT AS total_ns,
    (least(sum(copy.total_ns), part.busy_ns))::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'managed' AS claims
FROM part
INNER JOIN part_copy AS copy ON part.part_id = copy.part_id
WHERE part.kind IN ('series', 'rest', 'work') AND copy.is_migration AND copy.exposed_ns < copy.total_ns
GROUP BY part.part_id, part.gpu_id, part.busy_ns
ORDER BY part.part_id
