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
WITH launched_kernel AS (
    SELECT
        kernel_record.row_id,
        kernel_record.dur_ns,
        string.text_id,
        call.row_id AS call_row_id,
        call.pid,
        call.tid
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
),

range_kernel AS (
    SELECT
        nvtx_range.name AS nvtx_range,
        nvtx_range.style,
        launched_kernel.pid,
        launched_kernel.tid,
        launched_kernel.text_id,
        count(DISTINCT nvtx_call.range_row_id) AS nvtx_inst,
        count(DISTINCT launched_kernel.row_id) AS kern_inst,
        sum(launched_kernel.dur_ns)::BIGINT AS total_time_ns,
        avg(launched_kernel.dur_ns) AS avg_ns,
        median(launched_kernel.dur_ns) AS med_ns,
        min(launched_kernel.dur_ns) AS min_ns,
        max(launched_kernel.dur_ns) AS max_ns,
        coalesce(stddev_samp(launched_kernel.dur_ns), 0) AS stddev_ns
    FROM launched_kernel
    LEFT JOIN nvtx_call ON launched_kernel.call_row_id = nvtx_call.call_row_id
    LEFT JOIN nvtx_range ON nvtx_call.range_row_id = nvtx_range.row_id
    GROUP BY ALL
)

SELECT
    range_kernel.nvtx_range,
    range_kernel.style,
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
LEFT JOIN string ON range_kernel.text_id = string.id
ORDER BY
    range_kernel.nvtx_range ASC NULLS FIRST,
    range_kernel.pid ASC NULLS FIRST,
    range_kernel.tid ASC NULLS FIRST,
    range_kernel.total_time_ns DESC,
    range_kernel.style ASC NULLS FIRST,
    kernel_name ASC NULLS FIRST
