-- CPU time of NVTX ranges by process and name; names differing only in numbers are merged.
--
-- A range that was never closed ends at the latest timestamp of any range. The time of a range is the CPU time
-- from its start to its end, including ranges within it. For exact names see nvtx_sum.
-- Needs  NVTX_EVENTS
-- Parameters
--     exact_names    BIGINT = 50  -- Keep up to this many names exact; with more, numbers in names become #.
-- Columns
--     pid            BIGINT   -- Process.
--     name           VARCHAR  -- domain:text, or the text if there is no domain; NULL if there is no text.
--     names          BIGINT   -- Different names that are merged.
--     instances      BIGINT   -- Ranges.
--     total_time_ns  BIGINT   -- Sum of durations.
--     avg_ns         DOUBLE   -- Mean duration.
WITH recorded AS MATERIALIZED (
    -- Computed once for the three uses below.
    SELECT *
    FROM _nvtx_text_sum
),

domain AS (
    SELECT
        recorded.process_id,
        recorded.domain_id,
        min(coalesce(string.text, recorded.text)) AS name
    FROM recorded
    LEFT JOIN string ON recorded.text_id = string.id
    WHERE recorded.event_type = 75
    GROUP BY recorded.process_id, recorded.domain_id
),

latest AS (
    SELECT max(latest_ns) AS end_ns
    FROM recorded
    WHERE event_type IN (59, 60, 70, 71)
),

named AS (
    SELECT
        recorded.process_id,
        coalesce(domain.name || ':', '') || coalesce(string.text, recorded.text) AS exact_name,
        recorded.instances,
        coalesce(recorded.closed_ns, 0)
        + coalesce(recorded.open_instances * latest.end_ns - recorded.open_starts_ns, 0) AS total_time_ns
    FROM recorded
    CROSS JOIN latest
    LEFT JOIN string ON recorded.text_id = string.id
    LEFT JOIN domain ON recorded.process_id = domain.process_id AND recorded.domain_id = domain.domain_id
    WHERE recorded.event_type IN (59, 60, 70, 71)
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
    pid_of(process_id) AS pid,
    name,
    count(DISTINCT exact_name) AS names,
    sum(instances)::BIGINT AS instances,
    sum(total_time_ns)::BIGINT AS total_time_ns,
    sum(total_time_ns) / sum(instances) AS avg_ns
FROM numbered
GROUP BY process_id, name
ORDER BY total_time_ns DESC, pid ASC, name ASC NULLS FIRST
