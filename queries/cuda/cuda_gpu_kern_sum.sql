-- GPU time by kernel name.
--
-- All devices, streams, processes and grid shapes together. Kernels that ran inside a CUDA graph count
-- when the graph was traced by nodes; a graph traced whole is one row of GPU work without kernels.
-- Needs  _kernel_ids, NVTX_EVENTS if nvtx_name, _api_call_ids if nvtx_name
-- Parameters
--     usual: name, nvtx_name
-- Columns
--     usual: time_pct, total_time_ns
--     instances      BIGINT   -- [Instances] Number of executions.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     name           VARCHAR  -- [Name] Kernel.
-- Same as  nsys stats --report cuda_gpu_kern_sum
WITH named_kernel AS (
    SELECT
        CASE WHEN NOT $nvtx_name THEN string.text_id END AS text_id,
        CASE WHEN $nvtx_name THEN coalesce(around.text || '/', '') || string.text END AS name,
        _kernel_ids.dur_ns
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN kernel_nvtx_range AS around ON $nvtx_name AND _kernel_ids.row_id = around.row_id
),

kernel_name AS (
    SELECT
        text_id,
        name,
        sum(dur_ns)::BIGINT AS total_time_ns,
        count(*) AS instances,
        spread_ns(dur_ns) AS spread
    FROM named_kernel
    GROUP BY text_id, name
)

SELECT
    100 * total_time_ns / nullif(sum(total_time_ns) OVER (), 0) AS time_pct,
    total_time_ns,
    instances,
    unnest(spread) AS spread,
    coalesce(kernel_name.name, string.text) AS name
FROM kernel_name
LEFT JOIN string ON kernel_name.text_id = string.id
ORDER BY total_time_ns DESC, instances ASC, name ASC NULLS FIRST
