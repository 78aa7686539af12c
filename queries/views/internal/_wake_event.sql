-- A moment at which a thread can have woken another one of its process.
--
-- It is taken off the CPU, signals a condition variable, or a call of it ends. Threads of the profiler, and those
-- with which CUDA serves its events, wake nobody in the program's sense.
-- Needs  SCHED_EVENTS
-- Columns
--     usual: process_id, thread_id
--     time_ns     BIGINT   -- Time.
--     cpu         BIGINT   -- The CPU that it leaves; NULL for calls.
--     source      VARCHAR  -- NVIDIA's table.
--     row_id      BIGINT   -- Position in that table.
WITH profiler_thread AS (
    SELECT DISTINCT thread_id
    FROM thread
    WHERE regexp_matches(name, '^\[NSys|^NSys|^CUPTI|^cuda[-0-9]|CommsProcess')
),

scheduled AS (
    SELECT DISTINCT process_of(globalTid) AS process_id
    FROM raw.SCHED_EVENTS
),

event AS (
    SELECT
        globalTid AS thread_id,
        start AS time_ns,
        cpu,
        'SCHED_EVENTS' AS source,
        rowid AS row_id
    FROM raw.SCHED_EVENTS
    WHERE isSchedIn = 0
    UNION ALL
    SELECT
        thread_id,
        end_ns AS time_ns,
        NULL AS cpu,
        'OSRT_API' AS source,
        row_id
    FROM _os_call_ids
    UNION ALL
    SELECT
        _os_call_ids.thread_id,
        _os_call_ids.start_ns AS time_ns,
        NULL AS cpu,
        'OSRT_API' AS source,
        _os_call_ids.row_id
    FROM _os_call_ids
    INNER JOIN string ON _os_call_ids.name_id = string.id
    WHERE regexp_matches(string.text, 'cond_(signal|broadcast)$|^sem_post$')
    UNION ALL
    SELECT
        thread_id,
        end_ns AS time_ns,
        NULL AS cpu,
        'CUPTI_ACTIVITY_KIND_RUNTIME' AS source,
        row_id
    FROM _api_call_ids
    SEMI JOIN scheduled ON _api_call_ids.process_id = scheduled.process_id
)

SELECT
    process_of(event.thread_id) AS process_id,
    event.thread_id,
    event.time_ns,
    event.cpu,
    event.source,
    event.row_id
FROM event
ANTI JOIN profiler_thread ON event.thread_id = profiler_thread.thread_id
