-- A name of NVTX ranges in a process, names that differ in numbers alone as one: time of its ranges.
--
-- A range that was never closed ends at the latest timestamp of any range. The time of a range is that of the
-- CPU between its two ends, ranges within it included. For exact names see nvtx_sum.
-- Needs  NVTX_EVENTS
-- Parameters
--     exact_names    BIGINT = 50  -- Up to so many names stay as they are; in more, each number becomes #.
-- Columns
--     pid            BIGINT   -- Process.
--     name           VARCHAR  -- domain:text, or the text where there is no domain; NULL where there is no text.
--     names          BIGINT   -- Different names taken together.
--     instances      BIGINT   -- Ranges.
--     total_time_ns  BIGINT   -- Sum of durations.
--     avg_ns         DOUBLE   -- Mean duration.
WITH domain AS (
    SELECT
        record.process_id,
        record.domain_id,
        min(coalesce(string.text, record.text)) AS name
    FROM nvtx_text_sum AS record
    LEFT JOIN string ON record.text_id = string.id
    WHERE record.event_type = 75
    GROUP BY record.process_id, record.domain_id
),

latest AS (
    SELECT max(latest_ns) AS end_ns
    FROM nvtx_text_sum
    WHERE event_type IN (59, 60, 70, 71)
),

named AS (
    SELECT
        record.process_id,
        coalesce(domain.name || ':', '') || coalesce(string.text, record.text) AS exact_name,
        record.instances,
        coalesce(record.closed_ns, 0)
        + coalesce(record.open_instances * latest.end_ns - record.open_starts_ns, 0) AS total_time_ns
    FROM nvtx_text_sum AS record
    CROSS JOIN latest
    LEFT JOIN string ON record.text_id = string.id
    LEFT JOIN domain
        ON
            record.process_id = domain.process_id
            AND record.domain_id = domain.domain_id
    WHERE record.event_type IN (59, 60, 70, 71)
),

numbered AS (
    SELECT
        *,
        CASE
            WHEN (SELECT count(DISTINCT other.exact_name) FROM named AS other) <= $exact_names THEN exact_name
            ELSE regexp_replace(exact_name, '[0-9]+', '#', 'g')
        END AS name
    FROM named
)

SELECT
    (process_id >> 24) & 16777215 AS pid,
    name,
    count(DISTINCT exact_name) AS names,
    sum(instances)::BIGINT AS instances,
    sum(total_time_ns)::BIGINT AS total_time_ns,
    sum(total_time_ns) / sum(instances) AS avg_ns
FROM numbered
GROUP BY process_id, name
ORDER BY total_time_ns DESC, pid ASC, name ASC NULLS FIRST
