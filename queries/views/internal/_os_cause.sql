-- OS runtime functions and the cause of idle time of each.
--
-- Engine  table
-- Columns
--     id     BIGINT   -- Number of the name.
--     cause  VARCHAR  -- os_wait_lock, os_wait_io, os_sleep or os_other.
SELECT
    id,
    CASE
        WHEN
            regexp_matches(
                text,
                -- noqa: disable=LT05
                '^(pthread_(cond_.*wait|mutex_(timed|clock)?lock|rwlock_.*lock|barrier_wait|join|.*join_np|spin_lock)|sem_.*wait|sem(timed)?op'
                || '|futex.*|wait(pid|id|[34])?|mtx_.*lock|cnd_.*wait|thrd_join|WaitFor.*|NtWaitFor.*|SleepConditionVariable.*'
                || '|EnterCriticalSection|AcquireSRWLock.*|WaitOnAddress|SignalObjectAndWait|MsgWaitFor.*|flock|lockf(64)?)$'
            ) AND text NOT LIKE '%unlock' THEN 'os_wait_lock'
        WHEN
            regexp_matches(
                text,
                '^(__)?(p?(read|write)(v2?)?(64)?(v2)?|readahead|process_vm_(read|write)v|recv.*|send.*|p?poll|p?select|epoll_p?wait2?'
                || '|accept4?|connect|f?(read|write)|f(flush|sync|datasync)|f?(get|put)(c|s|w|wc|ws)|(get|put)w?char|get(line|delim)'
                || '|v?[fd]?w?(printf|scanf)|msgrcv|msgsnd|mq_(timed)?(send|receive)|copy_file_range|v?m?splice|tee|m?sync|syncfs|sync_file_range'
                || '|f(re)?open(64)?|fclose'
                || '|io_(getevents|uring_enter|submit)|aio_.*|ReadFile.*|WriteFile.*|GetQueuedCompletionStatus.*|WSA.*)(_unlocked|_chk)?$'
            ) THEN 'os_wait_io'
        WHEN regexp_matches(text, '^(u|nano|clock_nano)?sleep$|^Sleep(Ex)?$|^thrd_sleep$') THEN 'os_sleep'
        ELSE 'os_other'
    END AS cause
FROM string
