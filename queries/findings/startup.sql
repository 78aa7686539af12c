-- One-time work before the first steady step: context, modules, first launches.
--
-- Idle time of part `startup`; of GPU work outside of series only that of one-time causes, and allocation that does not
-- recur. Host code counts as run-time compilation in NVTX ranges of compilers (NVRTC, XLA), or if the driver loads or links
-- modules in at least three such gaps; in a library's create functions as creating its handle. CUDA calls before the first
-- GPU work are included if they take longer than the GPU's window.
-- Needs  _idle_gap
-- Finding
--     says if is_before  CUDA calls before the first GPU work take {total_ns}, longer than all of the GPU work.
--     says if before_ns  Start-up leaves the GPU idle for {total_ns}, most of it {what}; CUDA calls before it take {before_ns}.
--     says  Start-up leaves the GPU idle for {total_ns}, most of it {what}.
--     do if is_memory  Allocate memory, above all pinned, before the timed part; warm up first.
--     do if is_compiled  Warm up before you measure, or keep the compiler's cache (TRITON_CACHE_DIR, jax_compilation_cache_dir, CUPY_CACHE_DIR, Numba's cache=True).
--     do if is_loading  Warm up before you measure; ship code for this GPU if the driver compiles PTX. CUDA_MODULE_LOADING=EAGER (CUDA 11.7 or later) only moves the loading to the beginning.
--     do if is_host  Warm up before you measure, or begin timing after it.
--     do  Warm up before you measure; create contexts, streams and library handles once.
-- Columns
--     what         VARCHAR  -- Up to three causes with most time, at least a tenth each.
--     is_memory    BOOLEAN  -- Allocation has most of it, without the first call, which sets the context up.
--     is_compiled  BOOLEAN  -- Compilation at run time has most of it.
--     is_loading   BOOLEAN  -- Modules and first launches have most of it.
--     is_host      BOOLEAN  -- Other host code, or waits, have most of it, or is_before.
--     is_before    BOOLEAN  -- All of it is CUDA calls before the first GPU work.
--     before_ns    BIGINT   -- Time of these calls, if longer than the GPU's window.
WITH before AS (  -- the thread with most time in such calls
    SELECT
        part.part_id,
        part.gpu_id,
        least(sum(call.total_ns), any_value(part.length_ns)) AS before_ns,
        sum(call.total_ns - call.first_ns) FILTER (WHERE call.cause = 'memory_management') AS memory_ns,
        any_value(part.window_ns) AS window_ns
    FROM part
    INNER JOIN part_call AS call ON part.part_id = call.part_id
    WHERE
        part.kind = 'before'
        -- other launches can wait for work from before the capture
        AND (call.cause NOT IN ('launch', 'sync') OR (call.count = 1 AND contains(call.name, 'LaunchKernel')))
    GROUP BY part.part_id, part.gpu_id, call.thread_id
    QUALIFY
        row_number() OVER (PARTITION BY part.part_id ORDER BY sum(call.total_ns) DESC, call.thread_id ASC) = 1
        AND before_ns > any_value(part.window_ns)
),

found AS (
    SELECT
        cause.part_id,
        cause.gpu_id,
        sum(cause.idle_ns)::BIGINT AS total_ns,
        array_to_string(
            list_slice(
                list(in_sentence(cause.title) ORDER BY cause.idle_ns DESC, cause.title ASC)
                FILTER (WHERE cause.is_large), 1, 3
            ),
            ', '
        ) AS what,
        arg_max(cause.kind, row(cause.idle_ns, cause.title)) AS kind
    FROM _startup_cause AS cause
    GROUP BY cause.part_id, cause.gpu_id
)

SELECT
    coalesce(found.part_id, before.part_id) AS part_id,
    coalesce(found.gpu_id, before.gpu_id) AS gpu_id,
    'start-up' AS subject,
    coalesce(found.total_ns, before.before_ns)::BIGINT AS total_ns,
    found.total_ns AS saves_ns,
    CASE WHEN found.part_id IS NULL THEN 'unknown' ELSE 'at most' END AS bound,
    'likely' AS certainty,
    true AS once,
    CASE WHEN found.part_id IS NOT NULL OR before.before_ns > 1000 * before.window_ns THEN 'once' END AS claims,
    found.what,
    coalesce(found.kind = 'memory', 2 * before.memory_ns > before.before_ns) AS is_memory,
    found.kind = 'compiling' AS is_compiled,
    found.kind = 'loading' AS is_loading,
    coalesce(found.kind = 'host', true) AS is_host,
    found.part_id IS NULL AS is_before,
    before.before_ns::BIGINT AS before_ns
FROM found
FULL JOIN before ON found.gpu_id IS NOT DISTINCT FROM before.gpu_id
ORDER BY part_id
