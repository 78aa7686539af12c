-- A loop that a process repeats, from its first step to its last, and how it was found: a series of steps.
--
-- Most programs repeat one thing: a training step, a time step, a request. A row is one such loop of one process; a
-- process can have several in succession (training steps, then measured forward passes). They are found by NVTX ranges
-- that contain half of the process's launches (nvtx), and before and after these by the sequence of its launches
-- (launches); without GPU work by ranges that cover their time (nvtx), or by ranges in a fixed order (phases).
-- docs/steps.md has the rules. No rows: nothing repeats.
-- Needs  _step_series
-- First  series_id, name, step_count, steady_count, covered_pct, step_range
-- Parameters
--     step_range  VARCHAR = NULL  -- NVTX range that marks the steps: NAME[@DOMAIN], numbers in it match any number.
--     start_ns    BIGINT = NULL   -- Only series with a step that ends after this time.
--     end_ns      BIGINT = NULL   -- Only series with a step that begins before this time.
-- Columns
--     _step_series: series_id, found_by, name, process_id, thread_id
--     usual: pid, tid
--     _step_series: step_count, equal_count, launch_count, warm_up_count
--     steady_count   BIGINT   -- Steps after the warm-up, without a last one that is cut off.
--     _step_series: covered_pct, work_ns, is_chosen, is_layers, step_range, note
SELECT
    series.series_id,
    series.found_by,
    series.name,
    series.process_id,
    series.thread_id,
    pid_of(series.thread_id) AS pid,
    tid_of(series.thread_id) AS tid,
    series.step_count,
    series.equal_count,
    series.launch_count,
    series.warm_up_count,
    count(*) FILTER (WHERE mark.is_steady) AS steady_count,
    series.covered_pct,
    series.work_ns,
    series.is_chosen,
    series.is_layers,
    series.step_range,
    series.note
FROM _step_series AS series
LEFT JOIN _step_mark AS mark ON series.series_id = mark.series_id
GROUP BY ALL
HAVING
    ($start_ns IS NULL AND $end_ns IS NULL)
    OR is_within(min(mark.cpu_start_ns), max(mark.cpu_end_ns), $start_ns, $end_ns)
ORDER BY series.series_id ASC
