-- Messages of nsys about the capture, errors and warnings first.
--
-- Equal messages about one process are one row. nsys reports here that events might be missing, or that a kind of
-- trace could not start. A message that no events of a kind were collected is refuted if its process (any process, if
-- it names none) has rows of that kind.
-- Needs  DIAGNOSTIC_EVENT
-- Parameters
--     all_messages  BOOLEAN = false  -- Not only errors and warnings.
-- Columns
--     severity      VARCHAR  -- error, warning, info or verbose.
--     messages      BIGINT   -- Number of such messages.
--     capture_message: text, is_loss
--     pid           BIGINT   -- The process that it is about; NULL for none.
--     name          VARCHAR  -- Its program; NULL if the export does not say.
--     is_refuted    BOOLEAN  -- The capture has what the message says was not collected.
WITH message AS (
    SELECT
        severity,
        text,
        process_id,
        count(*) AS messages,
        any_value(is_loss) AS is_loss,
        min(row_id) AS row_id,
        CASE
            WHEN regexp_matches(text, '^(No CUDA events collected|CUDA profiling might have not been started)')
                THEN 'cuda'
            WHEN text LIKE 'No NVTX events collected%' THEN 'nvtx'
            WHEN text LIKE 'No OS runtime libraries events collected%' THEN 'os'
        END AS kind
    FROM capture_message
    WHERE $all_messages OR severity IN ('error', 'warning')
    GROUP BY severity, text, process_id
),

recorded AS (
    SELECT
        process_id,
        'cuda' AS kind
    FROM _process_api_span
    UNION ALL
    SELECT
        process_id,
        'nvtx' AS kind
    FROM nvtx_event
    WHERE event_type BETWEEN 59 AND 75
    GROUP BY process_id
    UNION ALL
    SELECT
        process_id,
        'os' AS kind
    FROM _os_call_ids
    GROUP BY process_id
)

SELECT
    message.severity,
    message.messages,
    message.text,
    message.is_loss,
    pid_of(message.process_id) AS pid,
    process.name,
    EXISTS (
        FROM recorded
        WHERE
            recorded.kind = message.kind
            AND recorded.process_id = coalesce(message.process_id, recorded.process_id)
    ) AS is_refuted
FROM message
LEFT JOIN process ON message.process_id = process.process_id
ORDER BY
    list_position(['error', 'warning', 'info', 'verbose'], message.severity) ASC NULLS LAST,
    message.row_id ASC,
    pid ASC NULLS FIRST
