-- Parts of the ids that nsys packs into one number: globalTid is the process's globalPid with the thread in its
-- lowest 24 bits, and the pid in the 24 above them. Every view and query can call these functions.
-- Then texts of which a view has few different ones in millions of rows, as a byte each.
-- noqa: disable=CP05

CREATE MACRO process_of(global_tid) AS global_tid & ~16777215;  -- globalPid of a globalTid
CREATE MACRO pid_of(global_id) AS (global_id >> 24) & 16777215;  -- of a globalTid or a globalPid
CREATE MACRO tid_of(global_tid) AS global_tid & 16777215;

-- Columns of views of threads, and of what threads did, from `unnest`.
CREATE MACRO thread_ids(global_tid) AS {
    'thread_id': global_tid,
    'process_id': process_of(global_tid),
    'pid': pid_of(global_tid),
    'tid': tid_of(global_tid)
};
CREATE MACRO thread_times(first, until, global_tid) AS {
    'start_ns': first,
    'end_ns': until,
    'dur_ns': until - first,
    'thread_id': global_tid,
    'process_id': process_of(global_tid),
    'pid': pid_of(global_tid),
    'tid': tid_of(global_tid)
};

-- The time between `first` and `until` within the interval from `low` to `high`, NULL if open: nanoseconds, and whether
-- there are any; inside_ns moves a time into the interval. If a question is narrowed to several NVTX ranges, these
-- replace the interval (nsysql/capture/time_window.py).
CREATE MACRO within_ns(first, until, low, high) AS least(until, coalesce(high, until)) - greatest(
    first, coalesce(low, first)
);
CREATE MACRO inside_ns(moment, low, high) AS least(greatest(moment, coalesce(low, moment)), coalesce(high, moment));
CREATE MACRO is_at(moment, low, high) AS moment >= coalesce(low, moment) AND (high IS NULL OR moment < high);
CREATE MACRO is_within(first, until, low, high) AS first < coalesce(high, until) AND until > coalesce(low, first);
CREATE MACRO is_asked(first, until, low, high, gpu_id, gpu) AS is_within(first, until, low, high) AND (
    gpu IS NULL OR gpu_id = gpu
);

-- Whether a row of an NVIDIA table overlaps one of several NVTX ranges: true unless there are several.
CREATE MACRO in_ranges(first, until) AS true;
CREATE MACRO in_ranges_of_thread(thread, first, until) AS true;
CREATE MACRO in_ranges_of_process(process, first, until) AS true;

-- How many blocks of a shape an SM takes at once by its warps, registers and shared memory, columns from `unnest`; NULL
-- for what the shape lacks. `sm` has the columns of _compute_capability.
CREATE MACRO round_up(size, granule) AS granule * ((size + granule - 1) // granule);
CREATE MACRO warps_of(thread_count) AS nullif((thread_count + 31) // 32, 0);
CREATE MACRO registers_of_warp(registers) AS nullif(round_up(32 * registers, 256), 0);
CREATE MACRO blocks_per_sm(warps, registers, shared_bytes, sm) AS {
    'by_threads': sm.max_warps // warps,
    'by_registers': CASE
        WHEN 4 * ((warps + 3) // 4) * registers_of_warp(registers) > sm.max_registers THEN 0
        ELSE sm.sub_partitions * (sm.max_registers // sm.sub_partitions // registers_of_warp(registers)) // warps
    END,
    'by_shared_memory': CASE
        WHEN shared_bytes > sm.max_block_bytes THEN 0
        ELSE sm.shared_memory_bytes // nullif(round_up(
            shared_bytes + sm.reserved_shared_memory_bytes, sm.shared_memory_granule_bytes
        ), 0)
    END
};

-- The durations of a group as NVIDIA's sums have them, columns from `unnest`: the share of all groups and the sum, and how
-- they vary.
CREATE MACRO total_ns(dur_ns) AS {
    'time_pct': 100 * sum(dur_ns)::BIGINT / nullif(sum(sum(dur_ns)::BIGINT) OVER (), 0),
    'total_time_ns': sum(dur_ns)::BIGINT
};
CREATE MACRO spread_ns(dur_ns) AS {
    'avg_ns': avg(dur_ns),
    'med_ns': median(dur_ns),
    'min_ns': min(dur_ns),
    'max_ns': max(dur_ns),
    'stddev_ns': coalesce(stddev_samp(dur_ns), 0)
};

-- The id of a kernel's name of this kind, of the three in `_kernel_ids`; mangled falls back on demangled.
CREATE MACRO name_id_of(kind, demangled, base, mangled) AS coalesce(
    CASE kind WHEN 'base' THEN base WHEN 'mangled' THEN mangled END, demangled
);

-- Refuses a trace with more rows than anyone reads, one for each name of a call's thread.
CREATE MACRO is_readable(trace_rows) AS CASE
    WHEN trace_rows > 10000000
        THEN error(format(
            'its answer would have {:t,} rows, one for each name of a call''s thread; narrow it to an interval',
            trace_rows
        ))
    ELSE true
END;

-- The title of a cause within a sentence: its first letter is small unless it is an abbreviation.
CREATE MACRO in_sentence(title) AS if(
    regexp_matches(title, '^[A-Z]{2}'),
    split_part(title, ',', 1),
    lower(left(title, 1)) || split_part(title[2:], ',', 1)
);

-- Causes of idle time as `_thread_state` has them.
CREATE MACRO thread_cause(name) AS name::ENUM(
    'profiler', 'sync', 'module_load', 'context_setup', 'stream_and_event_setup',
    'graph_build', 'memory_management', 'other_cuda_api', 'os_wait_lock',
    'os_wait_io', 'os_sleep', 'os_other', 'preempted', 'blocked',
    'waiting_for_thread', 'gil_wait', 'blocked_launch', 'launch_call', 'pageable_copy'
);

-- NVIDIA's tables that `_thread_state` reads.
CREATE MACRO thread_table(name) AS name::ENUM(
    'CUPTI_ACTIVITY_KIND_RUNTIME', 'CUPTI_ACTIVITY_KIND_OVERHEAD', 'OSRT_API',
    'PROFILER_OVERHEAD', 'SCHED_EVENTS', 'NVTX_EVENTS', 'MPI_P2P_EVENTS',
    'MPI_START_WAIT_EVENTS', 'MPI_COLLECTIVES_EVENTS', 'MPI_OTHER_EVENTS', 'CUPTI_ACTIVITY_KIND_MEMCPY'
);

-- A path of NVTX ranges without what differs from call to call (PyTorch's sequence numbers and sizes, numbers of steps),
-- so that equal places are equal texts.
CREATE MACRO nvtx_label(path) AS regexp_replace(
    regexp_replace(path, ', (seq|op_id|sizes|input_op_ids) = [^>]*?( > |$)', '\2', 'g'),
    '([^A-Za-z0-9]|(?i:step|iter(?:ation)?|epoch|batch|frame|request))[0-9]+\b', '\1#', 'g'
);

-- Causes of idle time that are waits of the host for something else than the GPU.
CREATE MACRO is_host_wait(cause) AS cause IN (
    'os_wait_io', 'os_wait_lock', 'os_sleep', 'waiting_for_thread', 'gil_wait'
);

-- Causes of idle time that are work or waits of the host between launches, not a part of launching.
CREATE MACRO is_host_work(cause) AS cause IN (
    'host_code', 'os_other', 'os_wait_io', 'os_wait_lock', 'os_sleep', 'blocked', 'waiting_for_thread', 'gil_wait',
    'preempted'
);

-- Which advice idle time is about, by its cause, whether the GPU ran dry after a blocking call, and whether its gap is long.
CREATE MACRO claim_of(cause, is_drained, is_long) AS CASE
    WHEN cause = 'profiler' THEN 'profiler'
    WHEN cause IN ('module_load', 'context_setup', 'first_launch') THEN 'once'
    WHEN cause IN ('memory_management', 'stream_and_event_setup') THEN 'allocation'
    WHEN cause = 'unified_memory' THEN 'managed'
    WHEN cause = 'pageable_copy' THEN 'staging'
    WHEN cause = 'graph_build' OR (is_long AND cause = 'other_cuda_api') THEN if(is_long, 'long', 'short')
    WHEN is_long AND cause IN ('stream_wait', 'queued_unexplained') THEN 'queued'  -- the host has launched
    WHEN is_drained OR cause IN ('sync_return', 'sync_wait') THEN 'sync'
    WHEN
        cause IN ('graph_dependency', 'launch_batch', 'stream_wait', 'queued_unexplained', 'blocked_launch')
        THEN 'queued'
    WHEN is_long THEN 'long'
    ELSE 'short'
END;

-- Paths of NVTX ranges within a compiler: NVRTC, nvJitLink, the assembler of PTX, XLA.
CREATE MACRO is_compilation(path) AS regexp_matches(
    path,
    '(^|[^A-Za-z])(nvrtc|nvjitlink|ptxas|libnvvm|XlaCompile)|CompileProgram|jit[ _-]?compil|run-?time compilation',
    'i'
);

-- Functions that create a library's handle or plan, or set up a communicator: once per process, whatever its loop does.
CREATE MACRO creates_library(name) AS regexp_matches(
    name,
    '(^|[^A-Za-z])('
    || '(cublas(Lt|Xt)?|cudnn|cusparse(Lt)?|cusolver(Dn|Sp|Mg|Rf)?|cutensor(Mg)?|nvjpeg)Create(_v[0-9]+)?'
    || '|curandCreateGenerator|cufft(Xt)?(Plan(1d|2d|3d|Many)|Create|MakePlan\w*)|ncclCommInit\w*)(\(|$)'
);

-- Names of functions that print or write, and of Python's garbage collection.
CREATE MACRO is_output(name) AS regexp_matches(
    name,
    '^(std::)?(v?f?printf|puts|fputs|putc|fputc|putchar|fwrite|write|writev|pwrite(64)?|fflush|fsync)(_unlocked)?(\(|$)'
    || '|operator<<|std::(basic_)?ostream|std::endl|_IO_(file_|new_file_)?(write|xsputn)|vfprintf'
);
CREATE MACRO is_collection(name) AS regexp_matches(
    name, '\bgc_collect|\bgc\.collect|deduce_unreachable|subtract_refs|move_unreachable|[Gg]arbage [Cc]ollect'
);

-- NVTX ranges and functions that load input: data loaders of PyTorch, JAX and TensorFlow, and what programs call theirs.
CREATE MACRO is_loading(name) AS regexp_matches(
    name,
    '(?i)data_?loader|\bIteratorGetNext|\btf_?data|\bdata[ _-]?(load|fetch|wait|iter)|\binput[ _-]pipeline'
    || '|\b(load|fetch|read)[ _-]?(the[ _-])?(next[ _-]?)?(data|batch|input|image|sample|example)'
    || '|\b(get|next|prepare|wait)[ _(-]?(for[ _-])?(the[ _-])?(next[ _-]?)?'
    || '(data|batch(es)?|inputs?|images?|samples?|examples?)\b'
    || '|batch[ _-]?(load|fetch|wait)|(^|> )(data|input|loader|fetch)$'
);

-- What a call of the operating system that the GPU was idle in waits for: another thread, or a request or a message.
CREATE MACRO waits_for_lock(name) AS regexp_matches(name, '^(pthread_|sem_|futex|std::|__?lll_)');
CREATE MACRO waits_for_message(name) AS regexp_matches(name, '^(p?poll|p?select|epoll_|accept|recv|kevent|mq_)');

-- Calls of the operating system that wait for another thread, a descriptor, a message (`read` may be one), or a time.
CREATE MACRO is_lock(name) AS regexp_matches(
    name, '^(pthread_(cond_.*wait|mutex_.*lock|rwlock_.*lock|barrier_wait|join)|sem_.*wait|futex)'
);
CREATE MACRO is_poll(name) AS regexp_matches(name, '^(__)?(p?poll|p?select|epoll_p?wait)$');
CREATE MACRO is_message(name) AS regexp_matches(
    name, '^(__)?(p?poll|p?select|epoll_p?wait|read$|accept|recv|msgrcv|mq_.*receive)'
);
CREATE MACRO is_sleep(name) AS regexp_matches(name, '^(clock_)?(nano|u)?sleep$');
