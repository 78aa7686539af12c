-- Kernel with blocks smaller than a warp, or whose last warp is at most a quarter full.
--
-- A warp takes 32 lanes even if it has fewer threads: a block of 36 threads takes two warps. What larger blocks save is not
-- known: more than the share of unused lanes if more warps on an SM hide latency, less if memory limits the kernel.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} runs with {thread_count} threads a block: {total_ns}, {count} times.
--     do  Launch blocks of whole warps (32 threads), usually 128 to 256 threads.
-- Parameters
--     least_ns  BIGINT = NULL  -- Mean duration above which a kernel counts; NULL takes that of `thresholds`.
-- Columns
--     count         BIGINT   -- Launches.
--     thread_count  BIGINT   -- Threads of a block.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'likely' AS certainty,
    false AS once,
    'kernel' AS claims,
    sum(kernel.count)::BIGINT AS count,
    arg_max(kernel.thread_count, row(kernel.total_ns, kernel.thread_count)) AS thread_count
FROM _judged_kernel AS kernel
WHERE
    kernel.class = 'own'
    AND kernel.thread_count > 0
    AND (
        kernel.thread_count < WARP_THREADS
        OR kernel.thread_count % WARP_THREADS BETWEEN 1 AND WARP_THREADS // 4
    )
    AND kernel.total_ns > coalesce($least_ns, TINY_KERNEL_NS) * kernel.count
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name
ORDER BY kernel.part_id ASC, total_ns DESC, subject ASC
