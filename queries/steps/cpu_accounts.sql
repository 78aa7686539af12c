-- A step and an NVTX path: the CPU time of the thread that marks the steps, each nanosecond once.
--
-- A nanosecond is that of the innermost range of the thread, so of a range the time without the ranges in it. The
-- accounts of a step sum to its cpu_ns (query step_times). Where ranges of the thread cross each other all
-- time is outside of ranges.
-- Needs  _step_series, NVTX_EVENTS
-- Parameters
--     step_range  VARCHAR = NULL  -- NVTX range that marks the steps: NAME[@DOMAIN], numbers in it are any numbers.
--     series      BIGINT = NULL   -- Which series (query step_series); without it the chosen one.
--     start_ns    BIGINT = NULL   -- Only steps that begin at this time or later.
--     end_ns      BIGINT = NULL   -- Only steps that begin before this time.
-- Columns
--     step            BIGINT   -- Number of the step, from 0.
--     name            VARCHAR  -- Texts from the outermost range to this one, numbers as #; 'outside of ranges'.
--     total_ns        BIGINT   -- Time of the step in this account.
--     count           BIGINT   -- Ranges of this path that begin in the step.
--     first_start_ns  BIGINT   -- From when on the step is in it.
--     is_steady       BOOLEAN  -- The step is complete, and after the warm-up.
SELECT
    account.step,
    account.path AS name,
    account.total_ns,
    account.range_count AS count,
    account.first_start_ns,
    mark.is_steady
FROM _step_cpu_account AS account
INNER JOIN _step_series AS series ON account.series_id = series.series_id
INNER JOIN _step_mark AS mark
    ON
        account.series_id = mark.series_id
        AND account.step = mark.step
WHERE
    CASE WHEN $series IS NULL THEN series.is_chosen ELSE series.series_id = $series END
    AND ($start_ns IS NULL OR mark.cpu_start_ns >= $start_ns)
    AND ($end_ns IS NULL OR mark.cpu_start_ns < $end_ns)
ORDER BY account.step ASC, account.total_ns DESC, account.path ASC
