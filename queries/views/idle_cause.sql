-- Causes of idle time: name, meaning, and what to do about each.
--
-- Engine  table
-- Columns
--     position  BIGINT   -- Place in the list; of causes with equal time, the earlier one is named first.
--     cause     VARCHAR  -- The cause.
--     title     VARCHAR  -- Its name for people.
--     meaning   VARCHAR  -- What the GPU, or the host, was doing.
--     advice    VARCHAR  -- What to do about it.
--     needs     VARCHAR  -- Views and tables without which it is never attributed, as in a query's header.
--     sharper   VARCHAR  -- Tables without which too much or too little is attributed to it.
SELECT * REPLACE (position::BIGINT AS position)
FROM (
    VALUES
    -- noqa: disable=LT05
    (1, 'profiler', 'Profiler overhead', 'tracing itself, not the program: it is not there in a run without the profiler', 'Not the program''s: trace less (fewer --trace domains, no --cudabacktrace) and judge these nanoseconds as absent in a normal run.', 'profiler_overhead', NULL),
    (2, 'sync_return', 'Sync return latency', 'the GPU was done and the call that waited for it had not returned, up to a millisecond', 'Launch the next work before you wait, or replace the synchronization by events; the GPU idles while the call returns.', '_api_call_ids', NULL),
    (3, 'sync_wait', 'Blocking call outlasts GPU work', 'a blocking call more than a millisecond after this GPU was done: another GPU, a copy, a host callback', 'Find what the call waits for (another GPU, a copy, a host callback) and wait for that only, or later.', '_api_call_ids', NULL),
    (4, 'module_load', 'Module loading', 'modules, libraries or JIT compilation', 'Load before the timed part: warm up, or set CUDA_MODULE_LOADING=EAGER (CUDA 11.7 or later); ship SASS for this GPU so that nothing is compiled.', '_api_call_ids', 'CUPTI_ACTIVITY_KIND_OVERHEAD'),
    (5, 'context_setup', 'Context setup', 'context and device initialization, also in the first call of a library''s own CUDA runtime', 'Create contexts and library handles (cublasCreate, cudnnCreate) once, before the timed part, and reuse the process.', '_api_call_ids', NULL),
    (6, 'stream_and_event_setup', 'Stream and event setup', 'creation and destruction of streams and events', 'Create streams and events once and reuse them; keep creation out of the loop.', '_api_call_ids', NULL),
    (7, 'graph_build', 'Graph building', 'capture, instantiation and update of CUDA graphs', 'Capture and instantiate graphs once and replay them; update instead of instantiating anew.', '_api_call_ids', NULL),
    (8, 'memory_management', 'Memory management', 'allocation and freeing of memory', 'Allocate once and reuse (pools, a caching allocator, cudaMallocAsync with a release threshold); keep malloc and free out of the loop.', '_api_call_ids', NULL),
    (9, 'other_cuda_api', 'Other CUDA calls', 'other CUDA calls of the launching thread', 'See which calls they are with --by api and move them out of the loop.', '_api_call_ids', NULL),
    (10, 'os_wait_lock', 'Waiting for a lock', 'condition variables, mutexes, semaphores, joins', 'See which thread holds it: give the launching thread work ahead of time, or let another thread launch.', '_api_call_ids, _os_call_ids', NULL),
    (11, 'os_wait_io', 'Waiting for I/O', 'fopen, read, recv, poll and the like', 'Prefetch input in other threads or processes, and keep the launching thread free of I/O.', '_api_call_ids, _os_call_ids', NULL),
    (12, 'os_sleep', 'Sleeping', 'sleep calls of the launching thread', 'Replace the sleep by a wait for the event it stands for.', '_api_call_ids, _os_call_ids', NULL),
    (13, 'os_other', 'Other OS calls', 'other OS runtime calls of the launching thread', 'See which calls they are with --by api and keep them off the launching thread.', '_api_call_ids, _os_call_ids', NULL),
    (14, 'preempted', 'CPU taken by another thread', 'the launching thread was ready to run and another thread ran on its CPU', 'Give it a core of its own: fewer busy threads, CPU affinity, no oversubscribed container.', '_api_call_ids, off_cpu', NULL),
    (15, 'blocked', 'Thread blocked, reason not recorded', 'the launching thread was off the CPU: it waited, and no row shows for whom', 'Record --trace=osrt to see what it waits for; another core does not help a thread that waits.', '_api_call_ids, off_cpu', NULL),
    (16, 'waiting_for_thread', 'Waiting for thread or rank', 'the launching thread waited for another thread or another rank: an MPI call, a wake-up, or a thread that had launched before', 'Look at what that other thread or rank did meanwhile; let it launch ahead, or hand work over earlier.', '_api_call_ids', 'MPI_P2P_EVENTS or MPI_OTHER_EVENTS, OSRT_API, SCHED_EVENTS'),
    (17, 'gil_wait', 'Waiting for Python''s lock', 'the launching thread waited for the global interpreter lock', 'Find the thread that holds the lock meanwhile (ranges Holding GIL); move its work to another process, or into code that releases the lock.', '_api_call_ids, _gil_wait', NULL),
    (18, 'host_code', 'Host code', 'the launching thread ran code of the program or a library, in no traced call', 'The GPU waits for this code: prepare the next work ahead, or make this code faster; if short gaps between launches add up, fuse kernels or use CUDA graphs.', '_api_call_ids', 'OSRT_API, SCHED_EVENTS'),
    (19, 'blocked_launch', 'Launch queue full', 'the driver''s launch queue was full', 'The CPU is far ahead; this is no lack of work. Fewer, larger launches or CUDA graphs shorten the queue.', '_api_call_ids, overhead', 'CUPTI_ACTIVITY_KIND_OVERHEAD'),
    (20, 'pageable_copy', 'Copy of pageable memory', 'staging of pageable memory: in a copy call, or outside of calls by the OpenMP or OpenACC runtime', 'Use pinned memory (cudaHostAlloc, pin_memory=True) and asynchronous copies on their own stream.', '_api_call_ids, memcpy', NULL),
    (21, 'first_launch', 'First launch of kernel', 'lazy loading or compilation of a kernel''s code', 'Warm up before the timed part, or load all at the beginning (CUDA_MODULE_LOADING=EAGER, CUDA 11.7 or later); it happens once per process.', '_api_call_ids, _kernel_ids', NULL),
    (22, 'launch_call', 'Launch call overhead', 'the launching call itself', 'Launch less often: CUDA graphs, fused or larger kernels; and launch ahead, so that the call overlaps GPU work.', '_api_call_ids', NULL),
    (23, 'graph_dependency', 'Inside a CUDA graph', 'a graph''s node waited for another, or the GPU moved between nodes', 'Fewer or larger nodes in the graph, and more of them independent.', '_api_call_ids, _kernel_ids or memcpy or memset', NULL),
    (24, 'launch_batch', 'Between parts of a batched launch', 'the pieces of one batched call', 'Nothing to do from outside: the driver splits the call.', '_api_call_ids', NULL),
    (25, 'stream_wait', 'Waiting for another stream', 'the stream was told to wait for another stream''s event', 'Shorten what it waits for, or move independent work between; wait for the event later.', '_api_call_ids, stream_wait or TARGET_INFO_CUDA_STREAM', 'CUPTI_ACTIVITY_KIND_CUDA_EVENT'),
    (26, 'graph_launch', 'Start of a CUDA graph', 'from the graph launch''s return to its first work', 'Upload the graph beforehand (cudaGraphUpload), and launch the next one before the last ends.', '_api_call_ids', NULL),
    (27, 'launch_latency', 'Launch latency', 'the usual time from a launch''s return to its start, or between queued kernels', 'Fewer, larger kernels; CUDA graphs make the way between kernels shorter; programmatic dependent launch hides it.', '_api_call_ids', NULL),
    (28, 'queued_unexplained', 'Queued, cause unknown', 'work was queued longer than the usual latency, and no row says why', 'Look for work of other processes, GPU context switches, clock changes or untraced streams at these times.', '_api_call_ids', NULL),
    (29, 'unified_memory', 'Unified memory', 'the GPU waited for pages that migrated', 'Prefetch (cudaMemPrefetchAsync) or advise (cudaMemAdvise), or use explicit copies.', 'memcpy', NULL),
    (30, 'no_launch_recorded', 'Launch call not in the capture', 'the launch lies outside of the capture, so no thread or call can be blamed', 'Capture from before the launches: start the capture earlier, or trace all processes that launch.', NULL, NULL)
) AS known (position, cause, title, meaning, advice, needs, sharper)
