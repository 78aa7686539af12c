-- An event of a thread, as a timeline shows it: NVTX range, CUDA call, OS runtime call, MPI call, time off the CPU.
--
-- Rows without an end, or with an end before their start, are left out. An NVTX range that was never closed ends as in
-- nvtx_range.
-- Needs  nvtx_range or api_call or os_call or mpi_event or off_cpu
-- Columns
--     usual: thread_id, pid, tid
--     category        VARCHAR  -- nvtx, nvtx_start_end, cuda, mpi, os or off_cpu.
--     usual: start_ns, end_ns
--     row_id          BIGINT   -- Position in the export's table of that category.
--     name            VARCHAR  -- Range or function; NULL if the export has none.
--     correlation_id  BIGINT   -- Shared with the GPU work that the call launched; CUDA calls only.
--     color           BIGINT   -- Color that the program gave an NVTX range (RGB); NULL if it gave none.
WITH event AS (
    -- noqa: disable=LT09
    SELECT if(style = 'PushPop', 'nvtx', 'nvtx_start_end') AS category, * FROM nvtx_range
    UNION ALL BY NAME
    SELECT 'cuda' AS category, * FROM api_call
    UNION ALL BY NAME
    SELECT 'os' AS category, * FROM os_call
    UNION ALL BY NAME
    SELECT 'mpi' AS category, string.text AS name, call.*
    FROM mpi_event AS call
    LEFT JOIN string ON call.name_id = string.id
    UNION ALL BY NAME
    SELECT 'off_cpu' AS category, 'off the CPU' AS name, * FROM off_cpu
)

SELECT
    thread_id,
    pid_of(thread_id) AS pid,
    tid_of(thread_id) AS tid,
    category,
    start_ns,
    end_ns,
    row_id,
    name,
    correlation_id,
    color
FROM event
WHERE end_ns >= start_ns AND thread_id IS NOT NULL
ORDER BY thread_id ASC, category ASC, start_ns ASC, end_ns DESC, name ASC, row_id ASC
