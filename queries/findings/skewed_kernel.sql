-- Kernel whose time is mostly in a few long launches.
--
-- At least 20 launches of one shape that take over twice as long as their median times their number, over 5 % of the part.
-- What differs is not recorded: the data, the number of iterations, or concurrent work.
-- Needs  _kernel_ids
-- Finding
--     says  {subject} takes up to {longest_ns}, with a median of {median_ns}: {total_ns} in {count} launches.
--     do  Look at what differs in the long launches: their data, or what else ran.
-- Columns
--     count       BIGINT  -- Launches.
--     median_ns   BIGINT  -- Median duration.
--     longest_ns  BIGINT  -- Longest.
SELECT
    kernel.part_id,
    kernel.gpu_id,
    kernel.name AS subject,
    kernel.total_ns,
    NULL::BIGINT AS saves_ns,
    'unknown' AS bound,
    'possible' AS certainty,
    false AS once,
    'kernel' AS claims,
    kernel.count,
    kernel.median_ns::BIGINT AS median_ns,
    kernel.longest_ns
FROM _judged_kernel AS kernel
WHERE
    kernel.class <> 'communication'
    AND kernel.count >= SKEW_COUNT
    AND kernel.total_ns - kernel.median_ns * kernel.count > SKEW_SHARE * kernel.total_ns
    AND kernel.total_ns > OCCUPANCY_SHARE * kernel.part_ns
ORDER BY kernel.part_id ASC, kernel.total_ns DESC, subject ASC
