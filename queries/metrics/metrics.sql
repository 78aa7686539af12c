-- A metric of a GPU, of its kernels by name, of its NVTX ranges by name, or of its steps: the time-weighted mean.
--
-- A sample is valid for the time since the previous one (view gpu_metric). It counts for a kernel execution, an NVTX
-- range projected onto the GPU, or a step (query step_times) that contains all of this time. Executions shorter than the
-- sampling period have no sample; if that holds for all, sample_count is 0 and the mean is NULL, which does not mean 0.
-- Metrics are those of the whole GPU: concurrent kernels, also of other processes, share samples. Ranges count on the
-- GPUs that their process uses. Steps are in order, all else by time, longest first.
-- Needs  gpu_metric, _kernel_ids if by=kernel, _nvtx_projection if by=nvtx, _step_series if by=step
-- Engine  skip _nvtx_projection unless $by = 'nvtx'; skip _step_gpu, _step_series unless $by = 'step'
-- First  metric, name, unit, mean
-- Parameters
--     by      ENUM('gpu', 'kernel', 'nvtx', 'step') = 'gpu'  -- The whole GPU, its kernels by name, NVTX ranges by name, or steps.
--     gpu     BIGINT = NULL                          -- Only this GPU.
--     metric  VARCHAR = NULL                         -- Only this metric, such as 'SMs Active'.
-- Columns
--     gpu_id           BIGINT   -- Physical GPU.
--     name             VARCHAR  -- Kernel, NVTX range as domain:text, or such as step 3; NULL for the whole GPU.
--     metric           VARCHAR  -- Metric, by its newer name.
--     unit             VARCHAR  -- % (0 to 100), Hz, requests.
--     mean             DOUBLE   -- Time-weighted mean; NULL if unsampled.
--     sample_mean      DOUBLE   -- Unweighted mean of the samples; for the whole GPU only.
--     min              BIGINT   -- Smallest sample; for the whole GPU only.
--     max              BIGINT   -- Largest sample; for the whole GPU only.
--     sample_count     BIGINT   -- Samples; 0 if unsampled.
--     sampled_ns       BIGINT   -- Time that they are valid for.
--     count            BIGINT   -- Executions, or ranges; NULL for the whole GPU.
--     sampled_count    BIGINT   -- Those of them that have a sample.
--     total_ns         BIGINT   -- Sum of their durations on the GPU.
WITH sample AS (
    SELECT *
    FROM gpu_metric
    WHERE $gpu IS NULL OR gpu_id = $gpu
),

moment AS (
    SELECT
        type_id,
        gpu_id,
        start_ns,
        end_ns,
        row_number() OVER (PARTITION BY type_id ORDER BY end_ns ASC) AS place
    FROM sample
    WHERE $by <> 'gpu'
    GROUP BY type_id, gpu_id, start_ns, end_ns
),

gpu_process AS (
    SELECT DISTINCT
        gpu_id,
        process_id
    FROM _gpu_work_ids
    WHERE $by = 'nvtx'
),

span AS (
    SELECT
        coalesce(gpu_device.gpu_id, kernel.device_id) AS gpu_id,
        kernel.name_id,
        NULL AS name,
        kernel.start_ns,
        kernel.end_ns
    FROM _kernel_ids AS kernel
    LEFT JOIN gpu_device ON kernel.pid = gpu_device.pid AND kernel.device_id = gpu_device.device_id
    WHERE $by = 'kernel'
    UNION ALL
    SELECT
        used.gpu_id,
        NULL AS name_id,
        projection.name,
        projection.start_ns,
        projection.end_ns
    FROM _nvtx_projection AS projection
    INNER JOIN gpu_process AS used ON process_of(projection.thread_id) = used.process_id
    WHERE $by = 'nvtx' AND projection.row_id IS NOT NULL
    UNION ALL
    SELECT
        gpu.gpu_id,
        gpu.step AS name_id,
        'step ' || gpu.step AS name,
        gpu.gpu_start_ns AS start_ns,
        gpu.gpu_end_ns AS end_ns
    FROM _step_gpu AS gpu
    INNER JOIN _step_series AS series ON gpu.series_id = series.series_id
    WHERE $by = 'step' AND series.is_chosen
),

sampler AS (
    SELECT DISTINCT
        gpu_id,
        type_id
    FROM moment
),

first_place AS (
    SELECT
        span.*,
        sampler.type_id,
        moment.place AS first_place
    FROM span
    INNER JOIN sampler ON span.gpu_id = sampler.gpu_id
    ASOF LEFT JOIN moment ON sampler.type_id = moment.type_id AND span.start_ns <= moment.start_ns
),

place AS (
    SELECT
        first_place.*,
        moment.place AS last_place
    FROM first_place
    ASOF LEFT JOIN moment ON first_place.type_id = moment.type_id AND first_place.end_ns >= moment.end_ns
),

span_sum AS (
    SELECT
        gpu_id,
        type_id,
        name_id,
        name,
        count(*) AS count,
        count(*) FILTER (WHERE first_place <= last_place) AS sampled_count,
        sum(end_ns - start_ns)::BIGINT AS total_ns
    FROM place
    GROUP BY ALL
),

every_metric AS (
    SELECT DISTINCT
        type_id,
        metric,
        unit
    FROM sample
    WHERE $by <> 'gpu' AND ($metric IS NULL OR metric = $metric)
),

sum_so_far AS (
    SELECT
        every_metric.type_id,
        every_metric.metric,
        every_metric.unit,
        moment.place,
        sum(sample.value::HUGEINT * sample.dur_ns) OVER so_far AS weighted_so_far,
        sum(sample.dur_ns) OVER so_far AS ns_so_far,
        count(sample.value) OVER so_far AS count_so_far
    FROM every_metric
    INNER JOIN moment ON every_metric.type_id = moment.type_id
    LEFT JOIN sample
        ON
            moment.type_id = sample.type_id
            AND moment.end_ns = sample.end_ns
            AND every_metric.metric = sample.metric
            AND every_metric.unit IS NOT DISTINCT FROM sample.unit
    WINDOW so_far AS (
        PARTITION BY every_metric.type_id, every_metric.metric, every_metric.unit
        ORDER BY moment.place ASC
    )
),

-- Running sums at the ends of spans, less those before their starts. Each end is looked up separately: a join of spans
-- and samples would be too large.
border AS (
    SELECT
        gpu_id,
        type_id,
        name_id,
        name,
        unnest([last_place, first_place - 1]) AS place,
        unnest([1, -1]) AS sign
    FROM place
    WHERE first_place <= last_place
),

summed_border AS (
    SELECT
        gpu_id,
        type_id,
        name_id,
        name,
        place,
        sum(sign) AS sign
    FROM border
    GROUP BY ALL
),

span_mean AS (
    SELECT
        border.gpu_id,
        border.type_id,
        border.name_id,
        border.name,
        so_far.metric,
        so_far.unit,
        sum(border.sign * coalesce(so_far.weighted_so_far, 0))
        / nullif(sum(border.sign * coalesce(so_far.ns_so_far, 0)), 0) AS mean,
        sum(border.sign * so_far.count_so_far)::BIGINT AS sample_count,
        sum(border.sign * coalesce(so_far.ns_so_far, 0))::BIGINT AS sampled_ns
    FROM summed_border AS border
    INNER JOIN sum_so_far AS so_far ON border.type_id = so_far.type_id AND border.place = so_far.place
    GROUP BY ALL
),

answer AS (
    SELECT
        gpu_id,
        NULL AS name_id,
        NULL AS name,
        metric,
        unit,
        coalesce(sum(value::HUGEINT * dur_ns) / nullif(sum(dur_ns), 0), avg(value)) AS mean,
        avg(value) AS sample_mean,
        min(value) AS min,
        max(value) AS max,
        count(*) AS sample_count,
        sum(dur_ns)::BIGINT AS sampled_ns,
        NULL AS count,
        NULL AS sampled_count,
        max(end_ns) - min(start_ns) AS total_ns
    FROM sample
    WHERE $by = 'gpu' AND ($metric IS NULL OR metric = $metric)
    GROUP BY gpu_id, metric, unit
    UNION ALL BY NAME
    SELECT
        span_sum.gpu_id,
        span_sum.name_id,
        span_sum.name,
        every_metric.metric,
        every_metric.unit,
        span_mean.mean,
        coalesce(span_mean.sample_count, 0) AS sample_count,
        coalesce(span_mean.sampled_ns, 0) AS sampled_ns,
        span_sum.count,
        span_sum.sampled_count,
        span_sum.total_ns
    FROM span_sum
    INNER JOIN every_metric ON span_sum.type_id = every_metric.type_id
    LEFT JOIN span_mean
        ON
            span_sum.type_id = span_mean.type_id
            AND span_sum.name_id IS NOT DISTINCT FROM span_mean.name_id
            AND span_sum.name IS NOT DISTINCT FROM span_mean.name
            AND every_metric.metric = span_mean.metric
            AND every_metric.unit IS NOT DISTINCT FROM span_mean.unit
)

SELECT answer.* EXCLUDE (name_id) REPLACE (coalesce(answer.name, string.text) AS name)
FROM answer
LEFT JOIN string ON answer.name_id = string.id
ORDER BY
    answer.gpu_id ASC,
    CASE WHEN $by = 'step' THEN answer.name_id END ASC,
    answer.total_ns DESC,
    coalesce(answer.name, string.text) ASC NULLS FIRST,
    answer.name_id ASC,
    answer.metric ASC,
    answer.unit ASC
