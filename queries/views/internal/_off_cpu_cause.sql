-- An interval in which a thread that calls CUDA was off the CPU, and why, as far as scheduling shows.
--
-- preempted: the export says that the thread was ready to run, or another thread took its CPU within 20 us and it resumed
-- there within 20 us after that thread left. waiting_for_thread: not preempted, and within the 50 us before it resumed
-- another thread of its process left another CPU, signalled, or ended a call; the latest of these
-- events names the thread. Once is chance, so this must hold for three of the thread's waits of that size, within a power
-- of two, or for two if these are half of them. If half of these waits, and at least three, last the same number of whole
-- milliseconds and up to 150 us, a timer ends them. A thread that leaves another CPU first within 100 us afterwards counts,
-- too, since a thread may sleep once it has woken another: after three waits and after half of the waits of that size.
-- blocked: the rest.
-- Needs  off_cpu
-- Engine  table if EXISTS (FROM raw.SCHED_EVENTS)
-- Columns
--     row_id           BIGINT   -- Position of the event in which it left the CPU in the export's table.
--     start_ns         BIGINT   -- When it left the CPU.
--     end_ns           BIGINT   -- Put on again.
--     thread_id        BIGINT   -- Thread (globalTid).
--     cause            VARCHAR  -- preempted, waiting_for_thread or blocked.
--     other_thread_id  BIGINT   -- The thread that took the CPU, or that it waited for; NULL if not known.
--     seen_count       BIGINT   -- How often the two threads are found in that relation.
WITH calling AS (
    SELECT DISTINCT _api_call_ids.thread_id
    FROM _api_call_ids
    SEMI JOIN raw.SCHED_EVENTS AS scheduled ON _api_call_ids.thread_id = scheduled.globalTid
),

event AS (
    SELECT
        rowid AS row_id,
        start AS start_ns,
        isSchedIn AS is_in,
        globalTid AS thread_id,
        cpu,
        threadState AS state,
        lead(start) OVER core AS after_ns,
        lead(isSchedIn) OVER core AS after_is_in,
        lead(globalTid) OVER core AS after_thread_id,
        lag(start) OVER core AS before_ns,
        lag(isSchedIn) OVER core AS before_is_in,
        lag(globalTid) OVER core AS before_thread_id
    FROM raw.SCHED_EVENTS
    WINDOW core AS (PARTITION BY cpu ORDER BY start ASC, isSchedIn ASC, rowid ASC)
),

stretch AS (
    SELECT
        *,
        lead(start_ns) OVER thread AS end_ns,
        lead(is_in) OVER thread AS next_is_in,
        lead(cpu) OVER thread AS next_cpu,
        lead(before_ns) OVER thread AS left_ns,
        lead(before_is_in) OVER thread AS left_is_in,
        lead(before_thread_id) OVER thread AS left_thread_id
    FROM event
    SEMI JOIN calling ON event.thread_id = calling.thread_id
    WINDOW thread AS (PARTITION BY thread_id ORDER BY start_ns ASC, is_in DESC, row_id ASC)
),

off AS (
    SELECT
        row_id,
        start_ns,
        end_ns,
        thread_id,
        process_of(thread_id) AS process_id,
        next_cpu,
        CASE
            WHEN after_is_in = 1 AND after_ns - start_ns <= 20000 THEN nullif(after_thread_id, thread_id)
        END AS taker_id,
        CASE
            WHEN state = 1 THEN true
            WHEN state IN (2, 3) THEN false
            ELSE
                coalesce(
                    cpu = next_cpu
                    AND after_is_in = 1
                    AND after_thread_id <> thread_id
                    AND after_ns - start_ns <= 20000
                    AND left_is_in = 0
                    AND left_thread_id = after_thread_id
                    AND end_ns - left_ns <= 20000,
                    false
                )
        END AS is_preempted
    FROM stretch
    WHERE is_in = 0 AND next_is_in = 1
),

-- A moment at which a thread can have woken another one of its process: it leaves a CPU, signals a condition variable, or
-- a call of it ends. Threads of the profiler, and those with which CUDA serves its events, wake nobody in the program's
-- sense. Its place is the CPU that it leaves; of a call the thread.
wake_event AS (
    SELECT
        globalTid AS thread_id,
        start AS time_ns,
        cpu,
        'SCHED_EVENTS' AS source,
        rowid AS row_id
    FROM raw.SCHED_EVENTS
    WHERE isSchedIn = 0
    UNION ALL BY NAME
    SELECT
        thread_id,
        end_ns AS time_ns,
        'OSRT_API' AS source,
        row_id
    FROM _os_call_ids
    UNION ALL BY NAME
    SELECT
        call.thread_id,
        call.start_ns AS time_ns,
        'OSRT_API' AS source,
        call.row_id
    FROM _os_call_ids AS call
    INNER JOIN string ON call.name_id = string.id
    WHERE regexp_matches(string.text, 'cond_(signal|broadcast)$|^sem_post$')
    UNION ALL BY NAME
    SELECT
        thread_id,
        end_ns AS time_ns,
        'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
        row_id
    FROM _api_call_ids
    WHERE process_id IN (SELECT process_of(globalTid) FROM raw.SCHED_EVENTS)
),

moment AS (
    SELECT
        *,
        process_of(thread_id) AS process_id,
        cpu IS NULL AS is_call,
        coalesce(cpu, thread_id) AS place,
        struct_pack(time_ns := time_ns, thread_id := thread_id) AS own
    FROM wake_event
    WHERE
        thread_id NOT IN (
            SELECT thread.thread_id
            FROM thread
            WHERE regexp_matches(thread.name, '^\[NSys|^NSys|^CUPTI|^cuda[-0-9]|CommsProcess')
        )
),

-- A thread's own waking place is no evidence: then the last one before it elsewhere counts, or the first one after it. All
-- of a group of moments at one place have the same, that of the moment beside the group.
beside AS (
    SELECT
        *,
        CASE WHEN lag(place) OVER in_time <> place THEN lag(own) OVER in_time END AS turn,
        CASE WHEN lead(place) OVER in_time <> place THEN lead(own) OVER in_time END AS next_turn
    FROM moment
    WINDOW in_time AS (PARTITION BY process_id, is_call ORDER BY time_ns ASC, place ASC, source ASC, row_id ASC)
),

placed AS (
    SELECT
        process_id,
        is_call,
        time_ns,
        place,
        own,
        last_value(turn IGNORE NULLS) OVER in_time AS other,
        first_value(next_turn IGNORE NULLS) OVER (
            in_time ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        ) AS next_other,
        coalesce(lag(time_ns) OVER in_time <> time_ns, true) AS is_first,
        coalesce(lead(time_ns) OVER in_time <> time_ns, true) AS is_last
    FROM beside
    WINDOW in_time AS (PARTITION BY process_id, is_call ORDER BY time_ns ASC, place ASC, source ASC, row_id ASC)
),

last_call AS (
    FROM placed
    WHERE is_call AND is_last
),

last_leave AS (
    FROM placed
    WHERE NOT is_call AND is_last
),

next_leave AS (
    FROM placed
    WHERE NOT is_call AND is_first
),

candidate AS (
    SELECT
        off.*,
        CASE WHEN last_call.place <> off.thread_id THEN last_call.own ELSE last_call.other END AS call,
        CASE WHEN last_leave.place <> off.next_cpu THEN last_leave.own ELSE last_leave.other END AS leave,
        CASE WHEN next_leave.place <> off.next_cpu THEN next_leave.own ELSE next_leave.next_other END AS sleeper,
        floor(log2(greatest(off.end_ns - off.start_ns, 1))) AS size
    FROM off
    ASOF LEFT JOIN last_call ON off.process_id = last_call.process_id AND off.end_ns >= last_call.time_ns
    ASOF LEFT JOIN last_leave ON off.process_id = last_leave.process_id AND off.end_ns >= last_leave.time_ns
    ASOF LEFT JOIN next_leave ON off.process_id = next_leave.process_id AND off.end_ns < next_leave.time_ns
),

waker AS (
    SELECT
        *,
        CASE
            WHEN leave IS NULL OR leave.thread_id = thread_id OR call.time_ns >= leave.time_ns THEN call
            ELSE leave
        END AS wake,
        CASE
            WHEN NOT is_preempted AND sleeper.thread_id <> thread_id AND sleeper.time_ns - end_ns <= 100000
                THEN sleeper.thread_id
        END AS sleeper_id,
        CASE
            WHEN NOT is_preempted AND end_ns - start_ns >= 1000000 AND (end_ns - start_ns) % 1000000 <= 150000
                THEN (end_ns - start_ns) // 1000000
        END AS timer_ms
    FROM candidate
),

named AS (
    SELECT
        *,
        CASE
            WHEN NOT is_preempted AND wake.time_ns > start_ns AND end_ns - wake.time_ns <= 50000
                THEN wake.thread_id
        END AS waker_id
    FROM waker
),

counted AS (
    SELECT
        *,
        count_if(NOT is_preempted) OVER (PARTITION BY thread_id, size) AS waits,
        count(waker_id) OVER (PARTITION BY thread_id, size, waker_id) AS woken,
        count(sleeper_id) OVER (PARTITION BY thread_id, size, sleeper_id) AS slept,
        count(timer_ms) OVER (PARTITION BY thread_id, size, timer_ms) AS timed
    FROM named
),

judged AS (
    SELECT
        *,
        (woken >= 3 OR (woken = 2 AND waits <= 4)) AND NOT (timed >= 3 AND 2 * timed >= waits) AS is_woken,
        slept >= 3 AND 2 * slept >= waits AS has_sleeper
    FROM counted
),

explained AS (
    SELECT
        row_id,
        start_ns,
        end_ns,
        thread_id,
        CASE
            WHEN is_preempted THEN 'preempted'
            WHEN is_woken OR has_sleeper THEN 'waiting_for_thread'
            ELSE 'blocked'
        END AS cause,
        CASE
            WHEN is_preempted THEN taker_id
            WHEN is_woken THEN waker_id
            WHEN has_sleeper THEN sleeper_id
        END AS other_thread_id
    FROM judged
)

SELECT
    *,
    CASE
        WHEN other_thread_id IS NOT NULL THEN count(*) OVER (PARTITION BY thread_id, other_thread_id, cause)
    END AS seen_count
FROM explained
