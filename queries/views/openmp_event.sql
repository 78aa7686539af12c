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
    -- noqa: disable=LT09
    SELECT 'cancel' AS kind, * FROM raw.OPENMP_EVENT_KIND_CANCEL
    UNION ALL BY NAME
    SELECT 'critical_section' AS kind, * FROM raw.OPENMP_EVENT_KIND_CRITICAL_SECTION
    UNION ALL BY NAME
    SELECT 'dispatch' AS kind, * FROM raw.OPENMP_EVENT_KIND_DISPATCH
    UNION ALL BY NAME
    SELECT 'flush' AS kind, * FROM raw.OPENMP_EVENT_KIND_FLUSH
    UNION ALL BY NAME
    SELECT 'lock_destroy' AS kind, * FROM raw.OPENMP_EVENT_KIND_LOCK_DESTROY
    UNION ALL BY NAME
    SELECT 'lock_init' AS kind, * FROM raw.OPENMP_EVENT_KIND_LOCK_INIT
    UNION ALL BY NAME
    SELECT 'master' AS kind, * FROM raw.OPENMP_EVENT_KIND_MASTER
    UNION ALL BY NAME
    SELECT 'mutex_released' AS kind, * FROM raw.OPENMP_EVENT_KIND_MUTEX_RELEASED
    UNION ALL BY NAME
    SELECT 'mutex_wait' AS kind, * FROM raw.OPENMP_EVENT_KIND_MUTEX_WAIT
    UNION ALL BY NAME
    SELECT 'parallel' AS kind, * FROM raw.OPENMP_EVENT_KIND_PARALLEL
    UNION ALL BY NAME
    SELECT 'reduction' AS kind, * FROM raw.OPENMP_EVENT_KIND_REDUCTION
    UNION ALL BY NAME
    SELECT 'sync_region' AS kind, * FROM raw.OPENMP_EVENT_KIND_SYNC_REGION
    UNION ALL BY NAME
    SELECT 'sync_region_wait' AS kind, * FROM raw.OPENMP_EVENT_KIND_SYNC_REGION_WAIT
    UNION ALL BY NAME
    SELECT 'task' AS kind, * FROM raw.OPENMP_EVENT_KIND_TASK
    UNION ALL BY NAME
    SELECT 'task_create' AS kind, * FROM raw.OPENMP_EVENT_KIND_TASK_CREATE
    UNION ALL BY NAME
    SELECT 'task_schedule' AS kind, * FROM raw.OPENMP_EVENT_KIND_TASK_SCHEDULE
    UNION ALL BY NAME
    SELECT 'thread' AS kind, * FROM raw.OPENMP_EVENT_KIND_THREAD
    UNION ALL BY NAME
    SELECT 'workshare' AS kind, * FROM raw.OPENMP_EVENT_KIND_WORKSHARE
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
