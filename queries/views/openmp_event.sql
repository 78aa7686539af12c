-- OpenMP events, with their names as ids of `string`.
--
-- Needs  OPENMP_EVENT_KIND_CANCEL or OPENMP_EVENT_KIND_CRITICAL_SECTION or
--         OPENMP_EVENT_KIND_DISPATCH or OPENMP_EVENT_KIND_FLUSH or OPENMP_EVENT_KIND_LOCK_DESTROY or
--         OPENMP_EVENT_KIND_LOCK_INIT or OPENMP_EVENT_KIND_MASTER or
--         OPENMP_EVENT_KIND_MUTEX_RELEASED or OPENMP_EVENT_KIND_MUTEX_WAIT or
--         OPENMP_EVENT_KIND_PARALLEL or OPENMP_EVENT_KIND_REDUCTION or OPENMP_EVENT_KIND_SYNC_REGION
--         or OPENMP_EVENT_KIND_SYNC_REGION_WAIT or OPENMP_EVENT_KIND_TASK or
--         OPENMP_EVENT_KIND_TASK_CREATE or OPENMP_EVENT_KIND_TASK_SCHEDULE or
--         OPENMP_EVENT_KIND_THREAD or OPENMP_EVENT_KIND_WORKSHARE
-- Columns
--     kind        VARCHAR  -- Such as parallel or sync_region_wait: NVIDIA's kind.
--     row_id      BIGINT   -- Position in the export's table of that kind.
--     usual: start_ns, end_ns, dur_ns, thread_id, process_id, pid, tid, name_id
WITH event AS (
    SELECT
        'cancel' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_CANCEL
    UNION ALL
    SELECT
        'critical_section' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_CRITICAL_SECTION
    UNION ALL
    SELECT
        'dispatch' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_DISPATCH
    UNION ALL
    SELECT
        'flush' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_FLUSH
    UNION ALL
    SELECT
        'lock_destroy' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_LOCK_DESTROY
    UNION ALL
    SELECT
        'lock_init' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_LOCK_INIT
    UNION ALL
    SELECT
        'master' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_MASTER
    UNION ALL
    SELECT
        'mutex_released' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_MUTEX_RELEASED
    UNION ALL
    SELECT
        'mutex_wait' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_MUTEX_WAIT
    UNION ALL
    SELECT
        'parallel' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_PARALLEL
    UNION ALL
    SELECT
        'reduction' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_REDUCTION
    UNION ALL
    SELECT
        'sync_region' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_SYNC_REGION
    UNION ALL
    SELECT
        'sync_region_wait' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_SYNC_REGION_WAIT
    UNION ALL
    SELECT
        'task' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_TASK
    UNION ALL
    SELECT
        'task_create' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_TASK_CREATE
    UNION ALL
    SELECT
        'task_schedule' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_TASK_SCHEDULE
    UNION ALL
    SELECT
        'thread' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_THREAD
    UNION ALL
    SELECT
        'workshare' AS kind,
        rowid,
        start,
        "end",
        globalTid,
        nameId
    FROM raw.OPENMP_EVENT_KIND_WORKSHARE
)

SELECT
    kind,
    rowid AS row_id,
    start AS start_ns,
    "end" AS end_ns,
    "end" - start AS dur_ns,
    globalTid AS thread_id,
    process_of(globalTid) AS process_id,
    pid_of(globalTid) AS pid,
    tid_of(globalTid) AS tid,
    nameId AS name_id
FROM event
