-- A kernel name in an NVTX range name, on one thread: time of the kernels launched there.
--
-- A kernel belongs to every range around the API call that launched it, on the thread of the call, not to
-- the innermost alone; when the kernel itself ran does not matter. In two nested ranges of one name it is
-- one kernel, but its time counts twice. Kernels launched outside ranges have no range; those whose call
-- was not recorded have no process and thread either.
-- Needs  nvtx_range_record, kernel_record, api_call_record
-- Parameters
--     name  ENUM('demangled', 'base', 'mangled') = 'demangled'  -- Which of a kernel's names; mangled falls back on demangled.
-- Columns
--     nvtx_range     VARCHAR  -- [NVTX Range] domain:text, or the text where there is no domain.
--     style          VARCHAR  -- [Style] PushPop or StartEnd.
--     pid            BIGINT   -- [PID] Process of the calls.
--     tid            BIGINT   -- [TID] Thread of the calls.
--     nvtx_inst      BIGINT   -- [NVTX Inst] Number of ranges.
--     kern_inst      BIGINT   -- [Kern Inst] Number of kernels.
--     total_time_ns  BIGINT   -- [Total Time (ns)] Sum of durations, of every kernel in every range around it.
--     avg_ns         DOUBLE   -- [Avg (ns)] Mean duration.
--     med_ns         DOUBLE   -- [Med (ns)] Median duration.
--     min_ns         BIGINT   -- [Min (ns)] Shortest.
--     max_ns         BIGINT   -- [Max (ns)] Longest.
--     stddev_ns      DOUBLE   -- [StdDev (ns)] Sample standard deviation; 0 of a single one.
--     kernel_name    VARCHAR  -- [Kernel Name] Kernel.
-- Same as  nsys stats --report nvtx_kern_sum

-- With the place of its launching call and of the one before that launched a kernel of this name: where that
-- lies before a range, this kernel is the first of its name in there.
WITH launched_kernel AS (
    SELECT
        kernel_record.row_id,
        kernel_record.dur_ns,
        string.text_id,
        call.pid,
        call.tid,
        launched.place,
        coalesce(launched.is_outside, true) AS is_outside,
        lag(launched.place) OVER (
            PARTITION BY string.text_id ORDER BY launched.place, kernel_record.row_id
        ) AS place_before
    FROM kernel_record
    LEFT JOIN string
        ON
            coalesce(
                CASE $name
                    WHEN 'base' THEN kernel_record.short_name_id
                    WHEN 'mangled' THEN kernel_record.mangled_name_id
                END,
                kernel_record.name_id
            ) = string.id
    LEFT JOIN api_call_record AS call
        ON
            kernel_record.process_id = call.process_id
            AND kernel_record.correlation_id = call.correlation_id
    LEFT JOIN nvtx_call_place AS launched ON call.row_id = launched.call_row_id
),

-- Kernels that several calls with one correlation id could have launched.
shared_kernel AS (
    SELECT row_id
    FROM launched_kernel
    GROUP BY row_id
    HAVING count(*) > 1
),

range_name AS (
    SELECT
        name,
        is_push_pop,
        row_number() OVER () AS name_number
    FROM nvtx_call_span
    GROUP BY name, is_push_pop
),

-- Up to covered_to, earlier ranges of that name hold all that this one holds.
numbered_span AS (
    SELECT
        span.range_row_id,
        span.first_place,
        span.end_place,
        span.is_broken,
        range_name.name_number,
        max(span.end_place) OVER (
            PARTITION BY range_name.name_number ORDER BY span.first_place, span.range_row_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS covered_to
    FROM nvtx_call_span AS span
    INNER JOIN range_name
        ON
            span.name IS NOT DISTINCT FROM range_name.name
            AND span.is_push_pop = range_name.is_push_pop
),

held AS (
    SELECT
        name_number,
        range_row_id,
        first_place,
        is_broken,
        covered_to,
        unnest(range(first_place, end_place)) AS place
    FROM numbered_span
),

kernel_in_range AS (
    SELECT
        held.name_number,
        held.range_row_id,
        held.is_broken,
        coalesce(kernel.place_before < held.first_place, true) AS is_first_of_name,
        coalesce(held.place >= held.covered_to, true) AS is_uncounted,
        kernel.row_id,
        kernel.dur_ns,
        kernel.text_id,
        kernel.pid,
        kernel.tid
    FROM held
    INNER JOIN launched_kernel AS kernel ON held.place = kernel.place
    UNION ALL
    SELECT
        NULL AS name_number,
        NULL AS range_row_id,
        false AS is_broken,
        false AS is_first_of_name,
        true AS is_uncounted,
        row_id,
        dur_ns,
        text_id,
        pid,
        tid
    FROM launched_kernel
    WHERE is_outside
),

range_kernel AS (
    SELECT
        found.name_number,
        found.pid,
        found.tid,
        found.text_id,
        count(*) FILTER (found.is_first_of_name AND NOT found.is_broken)
        + count(DISTINCT found.range_row_id) FILTER (found.is_broken) AS nvtx_inst,
        count(*) FILTER (found.is_uncounted AND shared_kernel.row_id IS NULL)
        + count(DISTINCT found.row_id) FILTER (shared_kernel.row_id IS NOT NULL) AS kern_inst,
        sum(found.dur_ns)::BIGINT AS total_time_ns,
        avg(found.dur_ns) AS avg_ns,
        median(found.dur_ns) AS med_ns,
        min(found.dur_ns) AS min_ns,
        max(found.dur_ns) AS max_ns,
        coalesce(stddev_samp(found.dur_ns), 0) AS stddev_ns
    FROM kernel_in_range AS found
    LEFT JOIN shared_kernel ON found.row_id = shared_kernel.row_id
    GROUP BY ALL
)

SELECT
    range_name.name AS nvtx_range,
    CASE range_name.is_push_pop WHEN true THEN 'PushPop' WHEN false THEN 'StartEnd' END AS style,
    range_kernel.pid,
    range_kernel.tid,
    range_kernel.nvtx_inst,
    range_kernel.kern_inst,
    range_kernel.total_time_ns,
    range_kernel.avg_ns,
    range_kernel.med_ns,
    range_kernel.min_ns,
    range_kernel.max_ns,
    range_kernel.stddev_ns,
    string.text AS kernel_name
FROM range_kernel
LEFT JOIN range_name ON range_kernel.name_number = range_name.name_number
LEFT JOIN string ON range_kernel.text_id = string.id
ORDER BY
    nvtx_range ASC NULLS FIRST,
    range_kernel.pid ASC NULLS FIRST,
    range_kernel.tid ASC NULLS FIRST,
    range_kernel.total_time_ns DESC,
    style ASC NULLS FIRST,
    kernel_name ASC NULLS FIRST
