-- A loop that a process repeats, from its first step to its last, and how it was found: a series of steps.
--
-- Most programs repeat one thing: a training step, a time step, a request. A row is one such loop of one process; a
-- process can have several, one after the other (training steps, then measured forward passes). They are found by NVTX
-- ranges that hold half of the launches of their process (nvtx), and before and after these by the sequence of its
-- launches (launches); without GPU work by ranges that cover their time (nvtx), or by ranges that follow each other in
-- a fixed order (phases). docs/steps.md has the rules. No rows: nothing repeats.
-- Needs  _step_series
-- First  series_id, name, step_count, steady_count, covered_pct, step_range
-- Parameters
--     step_range  VARCHAR = NULL  -- NVTX range that marks the steps: NAME[@DOMAIN], numbers in it are any numbers.
--     start_ns    BIGINT = NULL   -- Only series with a step that ends after this time.
--     end_ns      BIGINT = NULL   -- Only series with a step that begins before this time.
-- Columns
--     series_id      BIGINT   -- Number of the series, from 0.
--     found_by       VARCHAR  -- named, nvtx, launches or phases.
--     name           VARCHAR  -- Text of the marks, numbers in it as #; how many launches a step has.
--     process_id     BIGINT   -- Process (globalPid).
--     thread_id      BIGINT   -- Thread whose ranges, or launches, begin the steps (globalTid).
--     pid            BIGINT   -- The operating system's process number.
--     tid            BIGINT   -- The operating system's thread number.
--     step_count     BIGINT   -- Steps.
--     equal_count    BIGINT   -- Steps with the commonest sequence of launches; NULL if found by ranges.
--     launch_count   BIGINT   -- Launches of most steps.
--     warm_up_count  BIGINT   -- Leading steps that are warm-up.
--     steady_count   BIGINT   -- Steps after the warm-up, without a last one that is cut off.
--     covered_pct    DOUBLE   -- Share of the process's launches in equal steps, or in the ranges; of CPU time without launches.
--     work_ns        BIGINT   -- Durations of the GPU work in the steps, added.
--     is_chosen      BOOLEAN  -- The steps of the capture are this series: it has most GPU work.
--     is_layers      BOOLEAN  -- It repeats the layers of a model, and not whole steps.
--     step_range     VARCHAR  -- Value of --step-range that chooses it; NULL if there is none.
--     note           VARCHAR  -- What else is to be known; NULL if nothing.
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
