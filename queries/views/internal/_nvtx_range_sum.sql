-- CPU time by NVTX range name and style, counted in two ways: nsysql's and NVIDIA's.
--
-- Two rows for each: a question reads those of one way to count, and the other is not computed for it.
-- Stored: small, and it reads all of NVTX.
-- Needs  _nvtx_range_ids
-- Engine  stored
-- Columns
--     as_nsys        BOOLEAN  -- Ends of open ranges, and doubled domains, as NVIDIA has them.
--     style          VARCHAR  -- PushPop or StartEnd.
--     name           VARCHAR  -- domain:text, or the text where there is no domain.
--     total_time_ns  BIGINT   -- Sum of durations.
--     instances      BIGINT   -- Number of ranges.
--     avg_ns         DOUBLE   -- Mean duration.
--     med_ns         DOUBLE   -- Median duration.
--     min_ns         BIGINT   -- Shortest.
--     max_ns         BIGINT   -- Longest.
--     stddev_ns      DOUBLE   -- Sample standard deviation; 0 of a single one.
WITH nvtx_range_duration AS (
    SELECT
        record.row_id,
        record.style,
        coalesce(domain.name || ':', '') || coalesce(string.text, record.plain_text) AS name,
        record.dur_ns,
        record.nsys_end_ns - record.start_ns AS nsys_dur_ns,
        NOT coalesce(domain.is_first, true) AS is_repeat
    FROM _nvtx_range_ids AS record
    LEFT JOIN string ON record.text_id = string.id
    LEFT JOIN nvtx_domain AS domain ON record.process_id = domain.process_id AND record.domain_id = domain.domain_id
),

counted_range AS (
    SELECT
        false AS as_nsys,
        style,
        name,
        dur_ns
    FROM nvtx_range_duration
    WHERE NOT is_repeat
    UNION ALL
    SELECT
        true AS as_nsys,
        style,
        name,
        nsys_dur_ns AS dur_ns
    FROM nvtx_range_duration
)

SELECT
    as_nsys,
    style,
    name,
    sum(dur_ns)::BIGINT AS total_time_ns,
    count(*) AS instances,
    avg(dur_ns) AS avg_ns,
    median(dur_ns) AS med_ns,
    min(dur_ns) AS min_ns,
    max(dur_ns) AS max_ns,
    coalesce(stddev_samp(dur_ns), 0) AS stddev_ns
FROM counted_range
GROUP BY as_nsys, style, name
