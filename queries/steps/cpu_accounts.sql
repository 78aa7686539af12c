-- A step and an NVTX path: how much of the step's CPU time its thread spent there, outside of nested ranges.
--
-- The thread is the one whose ranges, or launches, begin the steps. Each nanosecond of a step's CPU time counts for
-- the path of ranges that are open then, outermost to innermost, or as outside; so the rows of a step sum to its
-- cpu_dur_ns (query step_times).
-- Needs  _step_series
-- Parameters
--     usual: step_range, series
--     start_ns    BIGINT = NULL   -- Only steps that begin at this time or later, on the CPU.
--     end_ns      BIGINT = NULL   -- Only steps that begin before this time.
-- Columns
--     usual: series_id, step
--     kind            VARCHAR  -- nvtx, or outside of all ranges.
--     name            VARCHAR  -- The path, numbers in it as #; outside.
--     total_ns        BIGINT   -- CPU time of the step in this account.
--     _cpu_account: count, first_start_ns
--     is_steady       BOOLEAN  -- The step is complete, after the warm-up, and has about as many launches as most.
SELECT
    account.series_id,
    account.step,
    CASE WHEN account.nvtx_path IS NULL THEN 'outside' ELSE 'nvtx' END AS kind,
    coalesce(account.nvtx_path, 'outside') AS name,
    account.total_ns,
    account.count,
    account.first_start_ns,
    mark.is_steady
FROM _cpu_account AS account
INNER JOIN _step_series AS series ON account.series_id = series.series_id
INNER JOIN _step_mark AS mark ON account.series_id = mark.series_id AND account.step = mark.step
WHERE
    CASE WHEN $series IS NULL THEN series.is_chosen ELSE series.series_id = $series END
    AND is_at(mark.cpu_start_ns, $start_ns, $end_ns)
ORDER BY account.step ASC, account.total_ns DESC, name ASC
