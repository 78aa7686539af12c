-- Messages of nsys about the capture.
--
-- Needs  DIAGNOSTIC_EVENT
-- Columns
--     row_id      BIGINT   -- Position in the export's table.
--     start_ns    BIGINT   -- When it was logged; can be before the capture.
--     severity    VARCHAR  -- info, warning, error or verbose; NULL for an unknown number.
--     text        VARCHAR  -- The message.
--     is_loss     BOOLEAN  -- It says that events are, or might be, missing.
--     process_id  BIGINT   -- Process that it is about (globalPid); NULL for none.
SELECT
    rowid AS row_id,
    timestamp AS start_ns,
    ['info', 'warning', 'error', 'verbose'][severity] AS severity,
    text,
    regexp_matches(text, 'might be missing|not all .* might have been|dropped|lost|overflow', 'i') AS is_loss,
    CASE WHEN pid_of(globalPid) > 0 AND globalPid > 0 THEN globalPid END AS process_id
FROM raw.DIAGNOSTIC_EVENT
