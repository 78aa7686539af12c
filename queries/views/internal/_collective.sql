-- Collectives that no rank leaves before the last one arrives: NCCL kernels, or else MPI calls.
--
-- For a process with NCCL kernels only these; the kernel itself is the collective. For other processes the MPI calls
-- that synchronize all ranks of their communicator: barriers, and those that give each rank data of all. The MPI calls
-- of the thread right before it (each begins at most 100 us after the previous one ended, back to the previous
-- collective) are the beginning of the same exchange: a late rank already makes others wait in their sends and receives.
-- Calls that never returned, and kernels without timestamps, are left out.
-- Needs  _kernel_ids or MPI_COLLECTIVES_EVENTS
-- Engine  pushdown NVTX_EVENTS where eventType IN (59, 60, 70, 71)
--         AND (textId IS NOT NULL OR text LIKE 'nccl:%' OR coalesce(domainId, 0) <> 0); table
-- Columns
--     collective_id    BIGINT   -- Number, from 1, by process and arrival.
--     source           VARCHAR  -- nccl or mpi.
--     name             VARCHAR  -- Text of the range nccl:* around the launch, the kernel's kind, or the MPI call.
--     gpu_id           BIGINT   -- Physical GPU of the kernel; NULL for MPI.
--     communicator     VARCHAR  -- Context and stream of the kernel; handle of the communicator.
--     rank_count       BIGINT   -- Ranks of the communicator; NULL if the export does not say.
--     arrived_at_ns    BIGINT   -- Start of the kernel, or of the exchange that the call ends.
--     start_ns         BIGINT   -- Start of the kernel or the call.
--     end_ns           BIGINT   -- End of the kernel, return of the call.
--     thread_id        BIGINT   -- Thread that called MPI, or launched the kernel (globalTid); NULL if not recorded.
--     usual: process_id
--     range_row_id     BIGINT   -- Row of the innermost NVTX range of domain NCCL around the launch; NULL if none.
--     previous_end_ns  BIGINT   -- When the process left all earlier ones on the GPU; NULL for the first.
WITH named AS (
    SELECT
        event.rowid AS row_id,
        event.globalTid AS thread_id,
        event.start AS start_ns,
        coalesce(event."end", (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)) AS end_ns,
        coalesce(string.text, event.text) AS text,
        coalesce(domain.name, '') = 'NCCL' AS is_of_nccl
    FROM pushdown._collective AS event
    LEFT JOIN string ON event.textId = string.id
    LEFT JOIN nvtx_domain AS domain
        ON
            process_of(event.globalTid) = domain.process_id
            AND event.domainId = domain.domain_id
            AND domain.is_first
),

nccl_range AS (
    FROM named
    WHERE is_of_nccl OR text LIKE 'nccl:%'
),

kernel_of_nccl AS MATERIALIZED (
    SELECT
        work.row_id,
        work.process_id,
        work.gpu_id,
        work.context_id,
        work.stream_id,
        work.start_ns,
        work.end_ns,
        communication_kernel.name,
        call.thread_id,
        call.start_ns AS call_start_ns,
        call.end_ns AS call_end_ns
    FROM _gpu_work_ids AS work
    INNER JOIN communication_kernel ON work.name_id = communication_kernel.name_id
    LEFT JOIN _correlated_call AS call
        ON work.process_id = call.process_id AND work.correlation_id = call.correlation_id
    WHERE
        work.kind = 'kernel'
        AND work.end_ns > work.start_ns
        AND regexp_matches(communication_kernel.name, '\b(nccl(Dev)?Kernel|ncclFunction|rccl)')
),

call AS (
    SELECT
        thread_id,
        call_start_ns,
        row_number() OVER (PARTITION BY thread_id ORDER BY call_start_ns) AS place
    FROM kernel_of_nccl
    WHERE thread_id IS NOT NULL
    GROUP BY thread_id, call_start_ns
),

range_of_calls AS (
    SELECT
        around.*,
        first_call.place AS first_place,
        last_call.place AS last_place
    FROM nccl_range AS around
    ASOF INNER JOIN call AS first_call
        ON around.thread_id = first_call.thread_id AND around.start_ns <= first_call.call_start_ns
    ASOF INNER JOIN call AS last_call
        ON around.thread_id = last_call.thread_id AND around.end_ns >= last_call.call_start_ns
    WHERE EXISTS (FROM kernel_of_nccl)
),

range_of_call AS (
    SELECT
        * EXCLUDE (first_place, last_place),
        unnest(range(first_place, last_place + 1)) AS place
    FROM range_of_calls
),

range_of_kernel AS (
    SELECT
        kernel.row_id,
        arg_max(around.text, around.start_ns) FILTER (WHERE NOT around.is_of_nccl) AS text,
        arg_max(around.row_id, around.start_ns) FILTER (WHERE around.is_of_nccl) AS range_row_id
    FROM kernel_of_nccl AS kernel
    INNER JOIN call ON kernel.thread_id = call.thread_id AND kernel.call_start_ns = call.call_start_ns
    INNER JOIN range_of_call AS around
        ON
            call.thread_id = around.thread_id
            AND call.place = around.place
            AND kernel.call_end_ns <= around.end_ns
    GROUP BY kernel.row_id
),

mpi_call AS (
    SELECT
        event.source,
        event.row_id,
        event.thread_id,
        event.process_id,
        event.start_ns,
        event.end_ns,
        string.text AS name,
        event.source = 'collectives'
        AND regexp_matches(
            coalesce(string.text, ''),
            '^P?MPI_(Barrier|Allreduce|Alltoall[vw]?|Allgatherv?|Reduce_scatter(_block)?)_?$',
            'i'
        ) AS is_collective
    FROM mpi_event AS event
    LEFT JOIN string ON event.name_id = string.id
    ANTI JOIN kernel_of_nccl ON event.process_id = kernel_of_nccl.process_id
    WHERE event.source <> 'other' AND event.start_ns IS NOT NULL AND event.end_ns IS NOT NULL
),

mpi_begin AS (
    SELECT
        *,
        coalesce(
            start_ns - max(end_ns) OVER (
                PARTITION BY thread_id
                ORDER BY start_ns, end_ns, source, row_id
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) > 100_000
            OR lag(is_collective) OVER (PARTITION BY thread_id ORDER BY start_ns, end_ns, source, row_id),
            true
        ) AS is_begin
    FROM mpi_call
),

mpi_exchange AS (
    SELECT
        *,
        count_if(is_begin) OVER (
            PARTITION BY thread_id
            ORDER BY start_ns, end_ns, source, row_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS exchange
    FROM mpi_begin
),

mpi_arrival AS (
    SELECT
        *,
        min(start_ns) OVER (PARTITION BY thread_id, exchange) AS arrived_at_ns
    FROM mpi_exchange
),

communicator AS (
    SELECT
        commHandle,
        CASE WHEN min(size) = max(size) THEN max(size) END AS size
    FROM raw.MPI_COMMUNICATORS
    GROUP BY commHandle
),

collective AS (
    SELECT
        'nccl' AS source,
        coalesce(
            nullif(nullif(regexp_extract(around.text, '^(nccl:[^,]+)', 1), ''), 'nccl:coalesced'),  -- of any kind
            nullif(regexp_extract(kernel.name, '(?:nccl|rccl)\w*?(?:Kernel|Function)_?([A-Za-z]+)', 1), ''),
            kernel.name
        ) AS name,
        kernel.gpu_id,
        concat_ws('/', kernel.context_id, kernel.stream_id) AS communicator,
        NULL::BIGINT AS rank_count,
        kernel.start_ns AS arrived_at_ns,
        kernel.start_ns,
        kernel.end_ns,
        kernel.thread_id,
        kernel.process_id,
        around.range_row_id,
        kernel.row_id
    FROM kernel_of_nccl AS kernel
    LEFT JOIN range_of_kernel AS around ON kernel.row_id = around.row_id
    UNION ALL BY NAME
    SELECT
        call.process_id,
        'mpi' AS source,
        call.thread_id,
        event.commHandle::VARCHAR AS communicator,
        communicator.size AS rank_count,
        call.name,
        call.arrived_at_ns,
        call.start_ns,
        call.end_ns,
        call.row_id
    FROM mpi_arrival AS call
    LEFT JOIN raw.MPI_COLLECTIVES_EVENTS AS event ON call.row_id = event.rowid
    LEFT JOIN communicator ON event.commHandle = communicator.commHandle
    WHERE call.is_collective
)

SELECT
    row_number() OVER (ORDER BY process_id ASC, arrived_at_ns ASC, end_ns ASC, row_id ASC) AS collective_id,
    * EXCLUDE (row_id),
    max(end_ns) OVER (
        PARTITION BY process_id, gpu_id
        ORDER BY arrived_at_ns ASC, end_ns ASC, row_id ASC
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS previous_end_ns
FROM collective
