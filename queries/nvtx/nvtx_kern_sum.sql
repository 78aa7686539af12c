-- GPU time by NVTX range name, thread and kernel name, for kernels launched inside the ranges.
--
-- A kernel belongs to every range around the API call that launched it, on the thread of the call, not only
-- to the innermost; when the kernel itself ran does not matter. In two nested ranges of one name it is one
-- kernel, but its time counts twice. Kernels launched outside of ranges have no range; those whose call was
-- not recorded have no process and thread either.
-- Needs  _nvtx_range_ids, _kernel_ids, _api_call_ids
-- Parameters
--     name  ENUM('demangled', 'base', 'mangled') = 'demangled'  -- Kernel name to use; mangled falls back to demangled.
-- Columns
--     nvtx_range     VARCHAR  -- [NVTX Range] domain:text, or the text if there is no domain.
--     style          VARCHAR  -- [Style] PushPop or StartEnd.
--     pid            BIGINT   -- [PID] Process of the calls.
--     tid            BIGINT   -- [TID] Thread of the calls.
--     nvtx_inst      BIGINT   -- [NVTX Inst] Number of ranges.
--     kern_inst      BIGINT   -- [Kern Inst] Number of kernels.
--     total_time_ns  BIGINT   -- [Total Time (ns)] Sum of durations, of every kernel in every range around it.
--     usual: avg_ns, med_ns, min_ns, max_ns, stddev_ns
--     kernel_name    VARCHAR  -- [Kernel Name] Kernel.
-- Same as  nsys stats --report nvtx_kern_sum

-- With the position of its launching call, and of the previous call that launched a kernel of this name: if that
-- is before a range, this kernel is the first of its name in the range.
WITH launched_kernel AS (
    SELECT
        _kernel_ids.row_id,
        _kernel_ids.dur_ns,
        string.text_id,
        launched.thread_id & 281474976710655 AS pid_and_tid,
        launched.place,
        coalesce(launched.is_repeated, false) AS is_repeated,
        lag(launched.place) OVER (
            PARTITION BY string.text_id ORDER BY launched.place, _kernel_ids.row_id
        ) AS place_before
    FROM _kernel_ids
    LEFT JOIN string
        ON name_id_of($name, _kernel_ids.name_id, _kernel_ids.short_name_id, _kernel_ids.mangled_name_id) = string.id
    LEFT JOIN _launch_position AS launched
        ON
            _kernel_ids.process_id = process_of(launched.thread_id)
            AND _kernel_ids.correlation_id = launched.correlation_id
),

held AS (
    SELECT
        name_number,
        range_row_id,
        first_place,
        is_broken,
        covered_to,
        unnest(range(first_place, end_place)) AS place
    FROM _nvtx_launch_span
),

-- A join keeps all of them: in few bytes each.
narrow_held AS (
    SELECT
        name_number,
        range_row_id,
        first_place,
        is_broken,
        place::INTEGER AS place,
        coalesce(place >= covered_to, true) AS is_uncounted
    FROM held
),

-- A kernel outside all ranges has one row.
kernel_in_range AS (
    SELECT
        held.name_number,
        held.range_row_id,
        coalesce(held.is_broken, false) AS is_broken,
        held.place IS NOT NULL AND coalesce(kernel.place_before < held.first_place, true) AS is_first_of_name,
        coalesce(held.is_uncounted, true) AS is_uncounted,
        kernel.is_repeated,
        kernel.row_id,
        kernel.dur_ns,
        kernel.text_id,
        kernel.pid_and_tid
    FROM launched_kernel AS kernel
    LEFT JOIN narrow_held AS held ON kernel.place = held.place
),

-- Any of several calls with one correlation id could have launched a kernel: it counts once.
range_kernel AS (
    SELECT
        name_number,
        pid_and_tid,
        text_id,
        count(*) FILTER (is_first_of_name AND NOT is_broken)
        + count(DISTINCT range_row_id) FILTER (is_broken) AS nvtx_inst,
        count(*) FILTER (is_uncounted AND NOT is_repeated)
        + count(DISTINCT row_id) FILTER (is_repeated) AS kern_inst,
        sum(dur_ns)::BIGINT AS total_time_ns,
        spread_ns(dur_ns) AS spread
    FROM kernel_in_range
    GROUP BY name_number, pid_and_tid, text_id
)

SELECT
    range_name.name AS nvtx_range,
    CASE range_name.is_push_pop WHEN true THEN 'PushPop' WHEN false THEN 'StartEnd' END AS style,
    pid_of(range_kernel.pid_and_tid) AS pid,
    tid_of(range_kernel.pid_and_tid) AS tid,
    range_kernel.nvtx_inst,
    range_kernel.kern_inst,
    range_kernel.total_time_ns,
    unnest(range_kernel.spread) AS spread,
    string.text AS kernel_name
FROM range_kernel
LEFT JOIN _nvtx_launch_name AS range_name ON range_kernel.name_number = range_name.name_number
LEFT JOIN string ON range_kernel.text_id = string.id
ORDER BY
    nvtx_range ASC NULLS FIRST,
    pid ASC NULLS FIRST,
    tid ASC NULLS FIRST,
    range_kernel.total_time_ns DESC,
    style ASC NULLS FIRST,
    kernel_name ASC NULLS FIRST
