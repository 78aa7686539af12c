-- CPU time by NVTX range name and style, counted in two ways: nsysql's and NVIDIA's.
--
-- Two rows for each: a question reads those of one way to count, and the other is not computed for it.
-- Needs  _nvtx_range_ids
-- Columns
--     as_nsys        BOOLEAN  -- Ends of open ranges, and doubled domains, as NVIDIA has them.
--     name           VARCHAR  -- domain:text, or the text if there is no domain.
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
    unnest(spread_ns(dur_ns)) AS spread
FROM counted_range
GROUP BY as_nsys, style, name
