-- The captured time: from its start, for the duration that nsys recorded, else from the first event to the last.
--
-- One row. Times of an export begin with 0; of events before it the first is the start. NVTX ranges of PyTorch's short
-- operators do not count.
WITH recorded AS (
    SELECT max(duration) AS dur_ns
    FROM raw.ANALYSIS_DETAILS
),

event AS (
    SELECT
        min(start_ns) AS first_ns,
        max(end_ns) AS last_ns
    FROM (
        SELECT
            start_ns,
            end_ns
        FROM _api_call_ids
        UNION ALL
        SELECT
            work.start_ns,
            CASE
                WHEN work.start_ns < capture.end_ns AND work.end_ns > capture.far_ns THEN capture.end_ns
                ELSE work.end_ns
            END AS end_ns
        FROM _gpu_work_ids AS work
        CROSS JOIN _capture_end AS capture
        WHERE work.end_ns > work.start_ns
        UNION ALL
        SELECT
            start_ns,
            greatest(start_ns, end_ns) AS end_ns
        FROM _nvtx_few
        UNION ALL
        SELECT
            start AS start_ns,
            "end" AS end_ns
        FROM raw.OSRT_API
    ) AS any_event
),

begun AS (
    SELECT
        recorded.dur_ns,
        event.last_ns,
        CASE WHEN recorded.dur_ns IS NULL THEN event.first_ns ELSE least(0, event.first_ns) END AS start_ns
    FROM recorded
    CROSS JOIN event
)

SELECT
    coalesce(start_ns, 0)::BIGINT AS start_ns,
    greatest(coalesce(start_ns + dur_ns, last_ns, 0), last_ns)::BIGINT AS end_ns
FROM begun
