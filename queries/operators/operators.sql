-- An NVTX path, a range name, or a module of a model: CPU time, GPU work launched inside, and idle time attributed to it.
--
-- Numbers in names are #; PyTorch's sequence numbers and shapes are left out. Self is the time outside of nested ranges;
-- it sums to the whole over all rows, since time outside of all ranges has a row without a name. GPU work and launching
-- calls count where the call begins, on its thread. By name, a range nested in one of the same name counts once in the
-- total. Module ranges are those of hooks (docs/operators.md); nested modules are not part of the outer one. Backward
-- work, if PyTorch's emit_nvtx wrote sequence numbers, is in its own rows and again, as backward_*, in that of the
-- operator that created it; if that operator is not known, in the row without a name. In an interval, times are
-- clipped; ranges and launches that overlap it count. Threads count from their first range or launching call to their
-- last. Not counted: ranges that another thread closed; GPU work of zero length.
-- Needs  NVTX_EVENTS
-- Engine  skip _operator_idle unless $idle
-- Parameters
--     by       ENUM('path', 'name', 'module') = 'path'  -- A row is a path of nested ranges, a name wherever it occurs, or a model's module.
--     sort     ENUM('gpu_self', 'gpu_total', 'cpu_self', 'cpu_total', 'idle', 'launches', 'count', 'backward_gpu', 'name') = 'gpu_total'  -- What to sort by, largest first; names from A.
--     top      BIGINT = NULL   -- Rows to keep; NULL keeps all.
--     idle     BOOLEAN = true  -- Attribute the idle time of the GPUs, which takes longer.
-- Columns
--     name           VARCHAR  -- outer > inner, or the name; NULL for time outside of ranges.
--     _operator: count, cpu_total_ns, cpu_self_ns
--     gpu_total_ns   BIGINT   -- Sum of durations of the GPU work launched inside; NULL, like the next five columns, if the export has none.
--     _operator: gpu_self_ns, gpu_busy_ns, kernels, launches
--     idle_ns        BIGINT   -- Idle time attributed to it, added over GPUs; NULL without `idle` or GPU work.
--     idle_self_ns   BIGINT   -- The part outside of nested ranges; NULL without `idle`.
--     _operator: backward_cpu_ns, backward_gpu_ns
WITH whole AS (
    SELECT
        sum(gpu_self_ns) FILTER (WHERE grouping = 'path') > 0
        OR (getvariable('window_start') IS NOT NULL AND EXISTS (FROM _unfiltered_gpu_work)) AS has_work,
        CASE
            WHEN $by = 'module' AND count(*) FILTER (WHERE grouping = 'module' AND name IS NOT NULL) = 0
                THEN error(
                    'its NVTX ranges name no modules; capture with hooks that open a range for each module '
                    || '(Lightning''s PyTorchProfiler with emit_nvtx, vLLM --enable-layerwise-nvtx-tracing; '
                    || 'JAX writes them itself), or ask --by name'
                )
            ELSE true
        END AS is_known
    FROM _operator
),

found AS (
    SELECT
        _operator.name,
        _operator.depth,
        _operator.count,
        _operator.cpu_total_ns,
        _operator.cpu_self_ns,
        CASE WHEN whole.has_work THEN _operator.gpu_total_ns END AS gpu_total_ns,
        CASE WHEN whole.has_work THEN _operator.gpu_self_ns END AS gpu_self_ns,
        CASE WHEN whole.has_work THEN _operator.gpu_busy_ns END AS gpu_busy_ns,
        CASE WHEN whole.has_work THEN _operator.kernels END AS kernels,
        CASE WHEN whole.has_work THEN _operator.launches END AS launches,
        CASE WHEN $idle AND whole.has_work THEN coalesce(_operator_idle.idle_total_ns, 0) END AS idle_ns,
        CASE WHEN $idle AND whole.has_work THEN coalesce(_operator_idle.idle_self_ns, 0) END AS idle_self_ns,
        _operator.backward_cpu_ns,
        CASE WHEN whole.has_work THEN _operator.backward_gpu_ns END AS backward_gpu_ns
    FROM _operator
    CROSS JOIN whole
    LEFT JOIN _operator_idle
        ON
            _operator.grouping = _operator_idle.grouping
            AND _operator.name IS NOT DISTINCT FROM _operator_idle.name
            AND _operator.depth IS NOT DISTINCT FROM _operator_idle.depth
    WHERE whole.is_known AND _operator.grouping = $by
)

SELECT * EXCLUDE (depth)
FROM found
ORDER BY
    CASE $sort
        WHEN 'gpu_self' THEN gpu_self_ns
        WHEN 'gpu_total' THEN gpu_total_ns
        WHEN 'cpu_self' THEN cpu_self_ns
        WHEN 'cpu_total' THEN cpu_total_ns
        WHEN 'idle' THEN idle_ns
        WHEN 'launches' THEN launches
        WHEN 'count' THEN count
        WHEN 'backward_gpu' THEN backward_gpu_ns
    END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN gpu_total_ns END DESC NULLS LAST,
    CASE WHEN $sort <> 'name' THEN cpu_total_ns END DESC NULLS LAST,
    name ASC NULLS FIRST,
    depth ASC NULLS FIRST
LIMIT $top
