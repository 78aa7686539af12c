-- A CUDA API call by its correlation id; if several calls of a process share one, the first in the export's table.
--
-- Which of them launched the work of that id the export does not say. None should share one; those that do are
-- in `suspect_rows`.
-- Needs  CUPTI_ACTIVITY_KIND_RUNTIME
-- Columns
--     _api_call_ids: row_id, start_ns, end_ns, process_id, correlation_id
WITH recorded AS MATERIALIZED (
    SELECT
        rowid AS row_id,
        start AS start_ns,
        "end" AS end_ns,
        globalTid AS thread_id,
        process_of(globalTid) AS process_id,
        correlationId AS correlation_id,
        nameId AS name_id
    FROM raw.CUPTI_ACTIVITY_KIND_RUNTIME
    WHERE correlationId IS NOT NULL
),

repeated AS (
    SELECT
        process_id,
        correlation_id,
        min(row_id) AS first_row_id
    FROM recorded
    GROUP BY process_id, correlation_id
    HAVING count(*) > 1
)

SELECT recorded.*
FROM recorded
LEFT JOIN repeated ON recorded.process_id = repeated.process_id AND recorded.correlation_id = repeated.correlation_id
WHERE repeated.first_row_id IS NULL OR recorded.row_id = repeated.first_row_id
