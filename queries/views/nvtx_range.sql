-- NVTX ranges: named intervals of CPU time, push/pop or start/end.
--
-- A range that was never closed ends at the latest timestamp of any range. Domains belong to processes: one
-- registered on several threads of a process is still one domain.
-- Needs  _nvtx_range_ids
-- Columns
--     usual: row_id, start_ns
--     end_ns         BIGINT   -- End, or the latest timestamp of any range.
--     _nvtx_range_ids: dur_ns, is_open, style, thread_id, end_thread_id, process_id, pid, tid, color
--     domain         VARCHAR  -- Domain; NULL for the default one.
--     text           VARCHAR  -- The range's text.
--     name           VARCHAR  -- domain:text, or the text if there is no domain.
SELECT
    record.* EXCLUDE (nsys_end_ns, domain_id, text_id, plain_text),
    domain.name AS domain,
    coalesce(string.text, record.plain_text) AS text,
    coalesce(domain.name || ':', '') || coalesce(string.text, record.plain_text) AS name
FROM _nvtx_range_ids AS record
LEFT JOIN string ON record.text_id = string.id
LEFT JOIN nvtx_domain AS domain
    ON record.process_id = domain.process_id AND record.domain_id = domain.domain_id AND domain.is_first
