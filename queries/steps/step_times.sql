-- A step on a GPU: when it began and ended, on the CPU and on the GPU, and how long the GPU was busy.
--
-- A step is the CPU time from its mark to the next one on the marking thread; its work is all GPU work that the
-- process launches in that time, from any thread. On a GPU it begins with the earliest activity of its work, but
-- never before the previous step, and lasts until the next step begins there. A copy under kernels of an earlier
-- step counts from their end. So periods on a GPU are contiguous; each is busy and idle time. A step without GPU work
-- has one row without GPU times.
-- Needs  _step_series
-- Parameters
--     usual: step_range, series
--     start_ns    BIGINT = NULL   -- Only steps that begin at this time or later, on the GPU if they have work there.
--     end_ns      BIGINT = NULL   -- Only steps that begin before this time.
-- Columns
--     _step_mark: series_id, step, cpu_start_ns, cpu_end_ns
--     cpu_dur_ns    BIGINT   -- From one to the other.
--     gpu_id        BIGINT   -- Physical GPU; this column and the next six are NULL if the step has no GPU work.
--     _step_gpu: gpu_start_ns, gpu_end_ns
--     period_ns     BIGINT   -- From one to the other.
--     busy_ns       BIGINT   -- Time of the period with any activity.
--     idle_ns       BIGINT   -- Time without.
--     _step_gpu: wait_ns
--     is_steady     BOOLEAN  -- Complete, after the warm-up, and with about as many launches as most.
--     is_complete   BOOLEAN  -- Not cut off by the end of the capture, or of the loop.
SELECT
    mark.series_id,
    mark.step,
    mark.cpu_start_ns,
    mark.cpu_end_ns,
    mark.cpu_end_ns - mark.cpu_start_ns AS cpu_dur_ns,
    gpu.gpu_id,
    gpu.gpu_start_ns,
    gpu.gpu_end_ns,
    gpu.gpu_end_ns - gpu.gpu_start_ns AS period_ns,
    gpu.busy_ns,
    period_ns - gpu.busy_ns AS idle_ns,
    gpu.wait_ns,
    mark.is_steady,
    mark.is_complete
FROM _step_mark AS mark
INNER JOIN _step_series AS series ON mark.series_id = series.series_id
LEFT JOIN _step_gpu AS gpu ON mark.series_id = gpu.series_id AND mark.step = gpu.step
WHERE
    CASE WHEN $series IS NULL THEN series.is_chosen ELSE series.series_id = $series END
    AND is_at(coalesce(gpu.gpu_start_ns, mark.cpu_start_ns), $start_ns, $end_ns)
ORDER BY mark.step ASC, gpu.gpu_id ASC
