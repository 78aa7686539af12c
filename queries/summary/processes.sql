-- Profiled processes: one row per process with recorded events, and how many of each kind.
--
-- The export names all processes of the machine; this lists only those with CUDA, NVTX, MPI or OS runtime rows.
-- Engine  skip _nvtx_range_ids unless $count_nvtx
-- Parameters
--     count_nvtx         BOOLEAN = true  -- Count NVTX ranges, too; without it, processes with NVTX alone are left out.
-- Columns
--     pid                BIGINT   -- The operating system's process number.
--     name               VARCHAR  -- Its program; NULL if the export does not say.
--     api_calls          BIGINT   -- CUDA API calls.
--     kernels            BIGINT   -- Kernels on all GPUs.
--     memory_operations  BIGINT   -- Memcpys and memsets on all GPUs.
--     graph_runs         BIGINT   -- Runs of CUDA graphs traced as a whole.
--     nvtx_ranges        BIGINT   -- NVTX ranges; 0 if not counted.
--     os_calls           BIGINT   -- OS runtime calls.
--     mpi_calls          BIGINT   -- MPI calls.
--     rank               BIGINT   -- Rank in MPI_COMM_WORLD; NULL if the export does not say.
--     process_id         BIGINT   -- Process (globalPid).
WITH recorded AS (
    SELECT
        process_id,
        'api' AS kind,
        calls AS rows
    FROM _process_api_span
    UNION ALL
    SELECT
        process_id,
        CASE WHEN kind IN ('memcpy', 'memset') THEN 'memory' ELSE kind END AS kind,
        pieces AS rows
    FROM _process_work_count
    UNION ALL
    SELECT
        process_id,
        'nvtx' AS kind,
        count(*) AS rows
    FROM _nvtx_range_ids
    WHERE $count_nvtx
    GROUP BY process_id
    UNION ALL
    SELECT
        process_id,
        'os' AS kind,
        count(*) AS rows
    FROM _os_call_ids
    GROUP BY process_id
    UNION ALL
    SELECT
        process_id,
        'mpi' AS kind,
        count(*) AS rows
    FROM mpi_event
    GROUP BY process_id
)

SELECT
    pid_of(recorded.process_id) AS pid,
    any_value(process.name) AS name,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'api'), 0)::BIGINT AS api_calls,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'kernel'), 0)::BIGINT AS kernels,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'memory'), 0)::BIGINT AS memory_operations,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'graph'), 0)::BIGINT AS graph_runs,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'nvtx'), 0)::BIGINT AS nvtx_ranges,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'os'), 0)::BIGINT AS os_calls,
    coalesce(sum(recorded.rows) FILTER (WHERE recorded.kind = 'mpi'), 0)::BIGINT AS mpi_calls,
    any_value(_process_rank.rank) AS rank,
    recorded.process_id
FROM recorded
LEFT JOIN process ON recorded.process_id = process.process_id
LEFT JOIN _process_rank ON recorded.process_id = _process_rank.process_id
GROUP BY recorded.process_id
ORDER BY kernels DESC, api_calls DESC, recorded.process_id ASC
