-- A GPU: how much of its idle time booked to host code passed in MPI calls of the launching thread.
--
-- Such a thread did not run the program; it waited for other ranks, or moved data between them. MPI calls
-- that lie in each other count once.
-- Needs  idle_gap_record, mpi_event
-- Parameters
--     gpu          BIGINT = NULL    -- Only this GPU.
--     start_ns     BIGINT = NULL    -- Narrow the window to what is at or after this time; gaps are clipped.
--     end_ns       BIGINT = NULL    -- Narrow the window to what is before this time; gaps are clipped.
--     per_process  BOOLEAN = false  -- Keep each process's devices apart; gpu_id is then pid * 1000 + ordinal.
-- Columns
--     gpu_id        BIGINT  -- Physical GPU.
--     host_code_ns  BIGINT  -- Idle time booked to host_code.
--     in_mpi_ns     BIGINT  -- That of it in MPI calls.
--     in_mpi_pct    DOUBLE  -- Its share.
WITH piece AS (
    SELECT
        gpu_id,
        thread_id,
        greatest(start_ns, coalesce($start_ns, start_ns)) AS start_ns,
        least(end_ns, coalesce($end_ns, end_ns)) AS end_ns
    FROM idle_piece_record
    WHERE
        cause = 'host_code'
        AND start_ns < coalesce($end_ns, end_ns)
        AND end_ns > coalesce($start_ns, start_ns)
        AND ($gpu IS NULL OR gpu_id = $gpu)
),

-- A call that never returned reaches to the end.
closed AS (
    SELECT
        thread_id,
        source,
        row_id,
        start_ns,
        coalesce(end_ns, (SELECT max(piece.end_ns) FROM piece)) AS end_ns
    FROM mpi_event
    WHERE start_ns IS NOT NULL
),

event AS (
    SELECT
        thread_id,
        start_ns,
        end_ns,
        max(end_ns) OVER (
            PARTITION BY thread_id
            ORDER BY start_ns, source, row_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reach_ns
    FROM closed
),

-- What each call adds to those before it: these stretches of a thread do not overlap.
stretch AS (
    SELECT
        thread_id,
        greatest(start_ns, coalesce(reach_ns, start_ns)) AS start_ns,
        end_ns
    FROM event
    WHERE end_ns > greatest(start_ns, coalesce(reach_ns, start_ns))
),

summed AS (
    SELECT
        *,
        coalesce(
            sum(end_ns - start_ns) OVER (
                PARTITION BY thread_id
                ORDER BY start_ns
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ), 0
        ) AS before_ns
    FROM stretch
),

border AS (
    SELECT
        gpu_id,
        thread_id,
        start_ns AS moment_ns,
        -1 AS sign
    FROM piece
    UNION ALL
    SELECT
        gpu_id,
        thread_id,
        end_ns AS moment_ns,
        1 AS sign
    FROM piece
),

-- The time in MPI calls up to the end of each piece, less that up to its start.
spent AS (
    SELECT
        border.gpu_id,
        sum(
            border.sign * (summed.before_ns + least(border.moment_ns, summed.end_ns) - summed.start_ns)
        )::BIGINT AS in_mpi_ns
    FROM border
    ASOF INNER JOIN summed
        ON border.thread_id = summed.thread_id AND border.moment_ns >= summed.start_ns
    GROUP BY border.gpu_id
),

booked AS (
    SELECT
        gpu_id,
        sum(end_ns - start_ns)::BIGINT AS host_code_ns
    FROM piece
    GROUP BY gpu_id
)

SELECT
    booked.gpu_id,
    booked.host_code_ns,
    coalesce(spent.in_mpi_ns, 0) AS in_mpi_ns,
    100 * coalesce(spent.in_mpi_ns, 0) / booked.host_code_ns AS in_mpi_pct
FROM booked
LEFT JOIN spent ON booked.gpu_id IS NOT DISTINCT FROM spent.gpu_id
ORDER BY booked.gpu_id
