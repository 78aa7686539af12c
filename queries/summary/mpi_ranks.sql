-- A process that called MPI: its rank, and how much of its time it spent in MPI calls.
--
-- MPI_Init and MPI_Finalize, which are start-up and end of the program, are left out. Time in calls is added over the
-- process's threads; calls within calls are not counted again. The span is from the start of the first call to the end
-- of the last.
-- Needs  mpi_event
-- Columns
--     processes: rank, pid, name
--     call_count   BIGINT   -- MPI calls.
--     span_ns      BIGINT   -- From the first call to the last.
--     mpi_ns       BIGINT   -- Time in the calls.
--     mpi_pct      DOUBLE   -- Share of the span.
--     sent_bytes   BIGINT   -- Bytes sent by this rank's calls, as far as recorded; NULL if it sends but no size is recorded.
--     main_call    VARCHAR  -- The function with most time.
--     main_ns      BIGINT   -- Its time.
--     process_id   BIGINT   -- Process (globalPid).
WITH event AS (
    SELECT
        process_id,
        thread_id,
        name_id,
        start_ns,
        coalesce(end_ns, start_ns) AS end_ns,
        coalesce(CASE WHEN source <> 'p2p' THEN send_bytes END, CASE WHEN source = 'p2p' THEN bytes END) AS sent_bytes,
        max(coalesce(end_ns, start_ns)) OVER (
            PARTITION BY thread_id
            ORDER BY start_ns, source, row_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reach_ns
    FROM mpi_event
    WHERE start_ns IS NOT NULL
),

named AS (
    SELECT
        event.*,
        string.text AS function,
        greatest(event.end_ns - greatest(event.start_ns, coalesce(event.reach_ns, event.start_ns)), 0) AS own_ns
    FROM event
    LEFT JOIN string ON event.name_id = string.id
    WHERE NOT regexp_matches(coalesce(string.text, ''), '^P?MPI_(Init|Finalize)', 'i')
),

function_sum AS (
    SELECT
        process_id,
        function,
        sum(own_ns)::BIGINT AS own_ns
    FROM named
    GROUP BY process_id, function
),

main AS (
    SELECT
        process_id,
        arg_max(function, row(own_ns, function)) AS main_call,
        max(own_ns) AS main_ns
    FROM function_sum
    GROUP BY process_id
),

process_sum AS (
    SELECT
        process_id,
        count(*) AS call_count,
        max(end_ns) - min(start_ns) AS span_ns,
        sum(own_ns)::BIGINT AS mpi_ns,
        coalesce(
            sum(sent_bytes) FILTER (WHERE NOT regexp_matches(function, '^MPI_(I?M?Recv|I?M?recv)', 'i')),
            CASE
                WHEN NOT bool_or(regexp_matches(function, 'send|bcast|reduce|gather|scatter|alltoall|_r?put', 'i'))
                    THEN 0
            END
        )::BIGINT AS sent_bytes
    FROM named
    GROUP BY process_id
)

SELECT
    _process_rank.rank,
    pid_of(process_sum.process_id) AS pid,
    process.name,
    process_sum.call_count,
    process_sum.span_ns,
    process_sum.mpi_ns,
    100 * process_sum.mpi_ns / nullif(process_sum.span_ns, 0) AS mpi_pct,
    process_sum.sent_bytes,
    main.main_call,
    main.main_ns,
    process_sum.process_id
FROM process_sum
INNER JOIN main ON process_sum.process_id = main.process_id
LEFT JOIN _process_rank ON process_sum.process_id = _process_rank.process_id
LEFT JOIN process ON process_sum.process_id = process.process_id
ORDER BY _process_rank.rank ASC NULLS LAST, pid ASC, process_sum.process_id ASC
