-- What an OS runtime function does to the thread that calls it: the idle ledger's causes.
--
-- Kept  as a table: small, and joined often
-- Columns
--     id     BIGINT   -- Number of the name.
--     name   VARCHAR  -- Name.
--     cause  VARCHAR  -- os_wait_lock, os_wait_io, os_sleep or os_other.
SELECT
    id,
    text AS name,
    CASE
        WHEN
            regexp_matches(
                text,
                '^(pthread_(cond_.*wait|mutex_(timed|clock)?lock|rwlock_.*lock|barrier_wait|join|.*join_np|spin_lock)|sem_.*wait'
                || '|futex.*|wait(pid|id|[34])?|mtx_.*lock|cnd_.*wait|thrd_join|WaitFor.*|NtWaitFor.*|SleepConditionVariable.*'
                || '|EnterCriticalSection|AcquireSRWLock.*|WaitOnAddress|SignalObjectAndWait|MsgWaitFor.*)$'
            ) AND text NOT LIKE '%unlock' THEN 'os_wait_lock'
        WHEN
            regexp_matches(
                text,
                '^(p?read(v2?|64|ahead)?|p?write(v2?|64)?|pread64|pwrite64|(__)?recv.*|(__)?send.*|poll|ppoll|__poll.*|p?select|epoll_p?wait2?'
                || '|accept4?|connect|f(read|write|gets|getc|puts|putc|flush|sync|datasync).*|getline|getdelim|msgrcv|msgsnd|mq_.*|splice|tee|sync'
                || '|io_(getevents|uring_enter|submit)|aio_.*|ReadFile.*|WriteFile.*|GetQueuedCompletionStatus.*|WSA.*)$'
            ) THEN 'os_wait_io'
        WHEN regexp_matches(text, '^(u|nano|clock_nano)?sleep$|^Sleep(Ex)?$|^thrd_sleep$') THEN 'os_sleep'
        ELSE 'os_other'
    END AS cause
FROM string
