-- Kernels and copies of a part, for rules about launches and about small copies.
--
-- Launches are blocking if they return only after their kernels end: at least 20 kernels, in steps three, 90 % of which end
-- within the call that launches them, and take most of the time in the calls, or most of the variance of that time:
-- the rest of the calls varies less. Copies are small if there are over 100, or three a step, two in a step or more, and
-- they are mostly latency (their median is below 10 us) or pages of unified memory. Short gaps before such copies are about
-- their number: the host is not too slow for what it has to do.
-- Needs  _gpu_work_ids
-- Engine  table
-- Columns
--     usual: part_id
--     median_kernel_ns  DOUBLE   -- Median kernel; NULL without kernels.
--     blocking_count    BIGINT   -- Kernels that start and end within their call.
--     is_blocking       BOOLEAN  -- Launches are blocking.
--     is_migrating      BOOLEAN  -- Most copies were not launched: unified memory migrates.
--     has_small_copies  BOOLEAN  -- Copies are small.
SELECT
    part_id,
    median(end_ns - start_ns) FILTER (WHERE kind = 'kernel') AS median_kernel_ns,
    count(*) FILTER (WHERE kind = 'kernel' AND start_ns >= api_start_ns AND end_ns <= api_end_ns) AS blocking_count,
    coalesce(
        count(*) FILTER (WHERE kind = 'kernel')
        >= CASE WHEN count(step) > 0 THEN RECURRING_COUNT ELSE LAUNCH_GAP_COUNT END
        AND blocking_count >= API_SHARE * count(*) FILTER (WHERE kind = 'kernel')
        AND (
            2 * sum(end_ns - start_ns) FILTER (WHERE kind = 'kernel')
            > sum(api_end_ns - api_start_ns) FILTER (WHERE kind = 'kernel')
            OR 2 * var_pop(api_end_ns - api_start_ns - (end_ns - start_ns)) FILTER (WHERE kind = 'kernel')
            < var_pop(api_end_ns - api_start_ns) FILTER (WHERE kind = 'kernel')
        ),
        false
    ) AS is_blocking,
    2 * count(call_id) FILTER (WHERE kind = 'memcpy') < count(*) FILTER (WHERE kind = 'memcpy') AS is_migrating,
    coalesce(
        count(*) FILTER (WHERE kind = 'memcpy')
        > least(SMALL_COPY_COUNT, RECURRING_COUNT * nullif(count(DISTINCT step), 0) - 1)
        AND count(*) FILTER (WHERE kind = 'memcpy') >= 2 * count(DISTINCT step) FILTER (WHERE kind = 'memcpy')
        AND (median(end_ns - start_ns) FILTER (WHERE kind = 'memcpy') < SMALL_COPY_NS OR is_migrating),
        false
    ) AS has_small_copies
FROM _part_activity
GROUP BY part_id
