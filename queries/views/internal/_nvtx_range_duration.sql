-- Durations of NVTX ranges as sums by name count them.
--
-- One row per range; where several threads registered its domain, a repeated row for each further one,
-- which NVIDIA counts too.
-- Needs  _nvtx_range_ids
-- Columns
--     row_id       BIGINT   -- Position of the range in the export's table.
--     style        VARCHAR  -- PushPop or StartEnd.
--     name         VARCHAR  -- domain:text, or the text where there is no domain.
--     dur_ns       BIGINT   -- Duration; one that was never closed ends at the latest timestamp of any range.
--     nsys_dur_ns  BIGINT   -- Duration; one that was never closed ends at the latest timestamp of any NVTX event.
--     is_repeat    BOOLEAN  -- A repeated row.
SELECT
    record.row_id,
    record.style,
    coalesce(domain.name || ':', '') || coalesce(string.text, record.plain_text) AS name,
    record.dur_ns,
    record.nsys_end_ns - record.start_ns AS nsys_dur_ns,
    NOT coalesce(domain.is_first, true) AS is_repeat
FROM _nvtx_range_ids AS record
LEFT JOIN string ON record.text_id = string.id
LEFT JOIN nvtx_domain AS domain
    ON
        record.process_id = domain.process_id
        AND record.domain_id = domain.domain_id
