-- Steps of the chosen series: the interval of each, over all GPUs.
--
-- On the GPUs if the step has work there, else on the CPU.
-- Needs  _gpu_work_ids or NVTX_EVENTS
-- Engine  whole
-- Columns
--     step       BIGINT   -- Number of the step, from 0.
--     start_ns   BIGINT   -- Start on the first GPU.
--     end_ns     BIGINT   -- End on the last GPU.
--     is_steady  BOOLEAN  -- Complete, after the warm-up, and with about as many launches as most.
--     name       VARCHAR  -- Name of the series.
SELECT
    mark.step,
    coalesce(min(gpu.gpu_start_ns), any_value(mark.cpu_start_ns)) AS start_ns,
    coalesce(max(gpu.gpu_end_ns), any_value(mark.cpu_end_ns)) AS end_ns,
    any_value(mark.is_steady) AS is_steady,
    any_value(series.name) AS name
FROM _step_series AS series
INNER JOIN _step_mark AS mark ON series.series_id = mark.series_id
LEFT JOIN _step_gpu AS gpu ON mark.series_id = gpu.series_id AND mark.step = gpu.step
WHERE series.is_chosen
GROUP BY mark.step
