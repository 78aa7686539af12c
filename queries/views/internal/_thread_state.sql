-- What each thread was doing: rows with a cause of idle time, the host side of the idle ledger.
--
-- Profiler and loading overheads, CUDA API calls, MPI calls, waits for Python's lock, OS runtime calls,
-- copies into pinned buffers, and intervals off the CPU. Where rows overlap, the ledger takes the lowest rank; within one rank the latest start, then the earliest end, then
-- the table's order.
-- Columns
--     rank            UTINYINT  -- Which family of causes goes first.
--     cause           ENUM('profiler')  -- The cause; sync is a blocking call, launch_call one that launches work.
--     correlation_id  BIGINT    -- Correlation id; API calls only.
WITH pageable_copy AS (
    SELECT DISTINCT
        process_id,
        correlation_id
    FROM memcpy
    WHERE src_kind = 'Pageable' OR dst_kind = 'Pageable'
),

-- The few names of calls, so that each of millions of calls compares none.
api_cause AS (
    SELECT
        id,
        is_copy,
        thread_cause(CASE WHEN is_launch THEN 'launch_call' ELSE cause END) AS cause,
        CASE
            WHEN is_launch THEN 5
            WHEN cause = 'sync' THEN 2
            WHEN cause = 'memory_management' THEN 4
            WHEN cause = 'other_cuda_api' THEN 5
            ELSE 3
        END::UTINYINT AS rank
    FROM _api_cause
),

cuda_call AS (
    SELECT
        call.thread_id,
        call.start_ns,
        call.end_ns,
        CASE
            WHEN pageable_copy.correlation_id IS NOT NULL AND api_cause.is_copy THEN 2::UTINYINT
            ELSE coalesce(api_cause.rank, 5::UTINYINT)
        END AS rank,
        CASE
            WHEN pageable_copy.correlation_id IS NOT NULL AND api_cause.is_copy THEN thread_cause('sync')
            ELSE coalesce(api_cause.cause, thread_cause('other_cuda_api'))
        END AS cause,
        thread_table('CUPTI_ACTIVITY_KIND_RUNTIME') AS source,
        call.row_id,
        call.name_id,
        call.correlation_id
    FROM _api_call_ids AS call
    LEFT JOIN api_cause ON call.name_id = api_cause.id
    LEFT JOIN pageable_copy
        ON call.process_id = pageable_copy.process_id AND call.correlation_id = pageable_copy.correlation_id
),

other AS (
    -- noqa: disable=LT09
    SELECT CASE cause WHEN 'profiler' THEN 0 WHEN 'module_load' THEN 3 ELSE 9 END AS rank, * FROM overhead
    UNION ALL BY NAME
    SELECT 7 AS rank, coalesce(_os_cause.cause, 'os_other') AS cause, 'OSRT_API' AS source, call.*
    FROM _os_call_ids AS call
    LEFT JOIN _os_cause ON call.name_id = _os_cause.id
    UNION ALL BY NAME
    SELECT 8 AS rank, 'SCHED_EVENTS' AS source, * FROM _off_cpu_cause
    UNION ALL BY NAME
    SELECT 6 AS rank, 'waiting_for_thread' AS cause, 'MPI_' || upper(source) || '_EVENTS' AS source, * EXCLUDE (source)
    FROM _mpi_wait
    UNION ALL BY NAME
    SELECT 6 AS rank, 'gil_wait' AS cause, 'NVTX_EVENTS' AS source, text_id AS name_id, * FROM _gil_wait
    UNION ALL BY NAME
    SELECT 8 AS rank, 'pageable_copy' AS cause, 'CUPTI_ACTIVITY_KIND_MEMCPY' AS source, * FROM _staging
)

SELECT
    thread_id,
    start_ns,
    end_ns,
    rank::UTINYINT AS rank,
    thread_cause(cause) AS cause,
    thread_table(source) AS source,
    row_id,
    name_id,
    NULL::BIGINT AS correlation_id
FROM other
UNION ALL
SELECT *
FROM cuda_call
