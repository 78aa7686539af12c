-- A message of nsys about the capture, errors and warnings first.
--
-- Equal messages are one row. That events might be missing, or that a kind of trace could not start, is said here.
-- Needs  DIAGNOSTIC_EVENT
-- Parameters
--     all_messages  BOOLEAN = false  -- Not only errors and warnings.
-- Columns
--     severity      VARCHAR  -- error, warning, info or verbose.
--     messages      BIGINT   -- How often it was said.
--     text          VARCHAR  -- The message.
--     is_loss       BOOLEAN  -- It says that events are, or might be, missing.
SELECT
    severity,
    count(*) AS messages,
    text,
    any_value(is_loss) AS is_loss
FROM diagnostic
WHERE $all_messages OR severity IN ('error', 'warning')
GROUP BY severity, text
ORDER BY
    list_position(['error', 'warning', 'info', 'verbose'], severity) ASC NULLS LAST,
    min(row_id) ASC
