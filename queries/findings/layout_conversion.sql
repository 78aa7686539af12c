-- Kernels that change the layout of data.
--
-- Over 5 % of the busy time.
-- Needs  _kernel_ids
-- Finding
--     says  {count} layout conversions take {total_ns}.
--     do  Keep one layout: channels_last for convolutions, no .contiguous() of transposed tensors.
-- Parameters
--     least_share  DOUBLE = NULL  -- Share of the busy time; NULL takes that of `thresholds`.
-- Columns
--     count  BIGINT   -- Launches.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    'layout' AS subject,
    sum(kernel.total_ns)::BIGINT AS total_ns,
    sum(kernel.alone_ns)::BIGINT AS saves_ns,
    'at most' AS bound,
    'likely' AS certainty,
    false AS once,
    'layout' AS claims,
    sum(kernel.count)::BIGINT AS count
FROM _judged_kernel AS kernel
WHERE kernel.class = 'layout'
GROUP BY kernel.part_id, kernel.gpu_id, kernel.busy_ns
HAVING sum(kernel.total_ns) > coalesce($least_share, LAYOUT_SHARE) * kernel.busy_ns
ORDER BY kernel.part_id ASC, saves_ns DESC, subject ASC
