-- Kernel with fewer blocks than the GPU has SMs.
--
-- The bound divides its work evenly over all SMs, also over the four schedulers of each if its blocks have fewer than four
-- warps, with at least 1.5 us a launch; if kernels run beside each other, it is their share of the busy time less that.
-- Only kernels with a mean over 3 us; on a GPU that the export does not name, only those with one block. Not if at least
-- three launches with enough blocks take at most 1.25 times as long.
-- Needs  _kernel_ids
-- Finding
--     says if is_range  {subject} runs in {least_blocks} to {block_count} blocks on {sm_count} SMs: {total_ns}, {count} times.
--     says if sm_count  {subject} runs in {block_count} blocks on {sm_count} SMs: {total_ns}, {count} times.
--     says  {subject} runs in 1 block, on one SM: {total_ns}, {count} times.
--     do if is_beside  Combine launches into one with more blocks (a batched kernel): all that run at once leave most SMs idle.
--     do if is_reduction  The compiler launches it to finish a reduction: reduce less often.
--     do if library  Call the library with a larger batch.
--     do if sm_count  Launch enough blocks to cover the data: at least {sm_count}.
--     do  Launch enough blocks to cover the data: at least one for each SM.
-- Parameters
--     least_ns  BIGINT = NULL  -- Mean duration above which a kernel counts; NULL takes that of `thresholds`.
-- Columns
--     count         BIGINT   -- Launches.
--     least_blocks  BIGINT   -- Fewest blocks of a launch.
--     block_count   BIGINT   -- Most blocks of a launch.
--     is_range      BOOLEAN  -- They differ.
--     sm_count      BIGINT   -- SMs; NULL if not known.
--     is_reduction  BOOLEAN  -- NVIDIA's compilers generated it for a reduction (OpenACC, OpenMP, do concurrent).
--     library       VARCHAR  -- Library.
--     is_beside     BOOLEAN  -- It runs mostly beside other kernels, and all together leave over half of the SMs idle.
WITH launched AS (
    SELECT
        *,
        sum(CASE WHEN block_count >= sm_count THEN total_ns END) OVER same
        / sum(CASE WHEN block_count >= sm_count THEN count END) OVER same AS covering_ns,
        sum(CASE WHEN block_count >= sm_count THEN count END) OVER same AS covering_count,
        sum(total_ns) OVER of_part AS kernels_ns,
        busy_ns - sum(filled_ns) OVER of_part AS empty_ns
    FROM _judged_kernel
    WINDOW same AS (PARTITION BY part_id, gpu_id, name), of_part AS (PARTITION BY part_id)
)

SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    sum(greatest(
        0,
        kernel.alone_ns
        - greatest(
            kernel.alone_ns * kernel.block_count / kernel.sm_count
            * least(1, kernel.thread_count / (SM_WARPS * WARP_THREADS)),
            KERNEL_FLOOR_NS * kernel.count
        ),
        if(kernel.kernels_ns > kernel.busy_ns, kernel.empty_ns * kernel.total_ns / kernel.kernels_ns, 0)
    ))::BIGINT AS saves_ns,
    CASE WHEN any_value(kernel.sm_count) IS NULL THEN 'unknown' ELSE 'at most' END AS bound,
    'likely' AS certainty,
    false AS once,
    if(2 * sum(kernel.alone_ns) < sum(kernel.total_ns), NULL, 'kernel') AS claims,
    sum(kernel.count)::BIGINT AS count,
    min(kernel.block_count) AS least_blocks,
    max(kernel.block_count) AS block_count,
    min(kernel.block_count) < max(kernel.block_count) AS is_range,
    any_value(kernel.sm_count) AS sm_count,
    regexp_matches(kernel.name, '_gpu__red(_[0-9]+)?$') AS is_reduction,
    any_value(kernel.library) AS library,
    claims IS NULL AND 2 * any_value(kernel.empty_ns) > any_value(kernel.busy_ns) AS is_beside
FROM launched AS kernel
WHERE
    kernel.class <> 'communication'
    AND kernel.block_count BETWEEN 1 AND coalesce(kernel.sm_count, 2) - 1
    AND kernel.total_ns > coalesce($least_ns, TINY_KERNEL_NS) * kernel.count
GROUP BY kernel.part_id, kernel.gpu_id, kernel.name
HAVING
    coalesce(
        any_value(kernel.covering_count) < RECURRING_COUNT
        OR any_value(kernel.covering_ns) > COVERING_RATIO * sum(kernel.total_ns) / sum(kernel.count),
        true
    )
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
