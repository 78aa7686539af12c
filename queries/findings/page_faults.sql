-- Unified memory that migrates while kernels run.
--
-- A kernel waits for its pages unless the program prefetched them. The bound is the time of the migrations beside
-- kernels; the rest belongs to host-reads-managed.
-- Needs  memcpy
-- Finding
--     says  Pages of unified memory migrate for {total_ns} while kernels run.
--     do  Call cudaMemPrefetchAsync before the launch, or copy explicitly.
SELECT
    copy.part_id,
    copy.gpu_id,
    'unified memory' AS subject,
    sum(copy.total_ns - copy.exposed_ns)::BIGINT AS total_ns,
    least(sum(copy.total_ns - copy.exposed_ns), copy.busy_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'managed' AS claims
FROM _judged_copy AS copy
WHERE copy.is_migration AND NOT copy.is_prefetch AND copy.exposed_ns < copy.total_ns
GROUP BY copy.part_id, copy.gpu_id, copy.busy_ns
ORDER BY copy.part_id
