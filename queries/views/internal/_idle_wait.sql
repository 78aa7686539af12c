-- A row that shows a thread waiting, with the thread or rank that it waited for, or that took its CPU.
--
-- Threads by name and number, as `probably` if it waited for that one fewer than three times. An MPI call names the
-- rank whose matching call (a receive for a send and so on) ends within 20 us of it, in another process of the
-- export; a rank without a number is named by its process.
-- Needs  _off_cpu_cause or _mpi_wait
-- Columns
--     source     VARCHAR  -- NVIDIA's table.
--     row_id     BIGINT   -- Position in that table.
--     waits_for  VARCHAR  -- Such as thread 17 worker.
WITH matchable AS (  -- a send with a receive, a collective with its like
    SELECT
        wait.*,
        regexp_matches(string.text, 'send', 'i') AS sends,
        CASE
            WHEN sends = regexp_matches(string.text, 'recv|probe', 'i')
                THEN regexp_extract(string.text, '^[A-Za-z]+_[A-Za-z]+')
            WHEN sends THEN 'send'
            ELSE 'receive'
        END AS kind,
        CASE kind WHEN 'send' THEN 'receive' WHEN 'receive' THEN 'send' ELSE kind END AS other
    FROM _mpi_wait AS wait
    INNER JOIN string ON wait.name_id = string.id
),

-- Ends within 20 us of each other are in the same or in neighboring slots of that length.
near AS (
    SELECT
        *,
        end_ns // 20000 + unnest([-1, 0, 1]) AS bucket
    FROM matchable
),

numbered AS (
    SELECT DISTINCT ON (process_of(thread_id))
        process_of(thread_id) AS process_id,
        rank
    FROM mpi_rank
    ORDER BY process_of(thread_id), row_id
),

found AS (
    SELECT
        mine.source,
        mine.row_id,
        theirs.thread_id,
        abs(theirs.end_ns - mine.end_ns) AS apart_ns
    FROM matchable AS mine
    INNER JOIN near AS theirs
        ON
            mine.other = theirs.kind
            AND mine.end_ns // 20000 = theirs.bucket
            AND abs(theirs.end_ns - mine.end_ns) <= 20000
            AND process_of(mine.thread_id) <> process_of(theirs.thread_id)
)

SELECT
    'SCHED_EVENTS' AS source,
    off.row_id,
    CASE WHEN off.cause = 'waiting_for_thread' AND off.seen_count < 3 THEN 'probably ' ELSE '' END
    || 'thread ' || tid_of(off.other_thread_id) || coalesce(' ' || thread_name.name, '') AS waits_for
FROM _off_cpu_cause AS off
LEFT JOIN _thread_name AS thread_name ON off.other_thread_id = thread_name.thread_id
WHERE off.other_thread_id IS NOT NULL
UNION ALL
SELECT
    'MPI_' || upper(found.source) || '_EVENTS' AS source,
    found.row_id,
    coalesce(
        'rank ' || arg_min(numbered.rank, (found.apart_ns, found.thread_id)),
        'process ' || pid_of(arg_min(found.thread_id, (found.apart_ns, found.thread_id)))
    ) AS waits_for
FROM found
LEFT JOIN numbered ON process_of(found.thread_id) = numbered.process_id
GROUP BY found.source, found.row_id
