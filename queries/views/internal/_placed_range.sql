-- Intervals of a thread's time with a recorded place in the source: NVTX ranges that name one, and OpenACC events.
--
-- An NVTX text names a place if it begins with the file and the line: file.py:12 name, file.py:12(name), as NVTX's own
-- annotation of Python writes, or file.py(12): name. Few texts have a point followed by a colon or bracket, so SQLite
-- filters them.
-- Engine  pushdown NVTX_EVENTS where eventType IN (59, 60, 70, 71) AND endGlobalTid IS NULL
--         AND (textId IS NOT NULL OR (instr(text, '.') > 0 AND (instr(text, ':') > 0 OR instr(text, '(') > 0)))
-- Columns
--     how        VARCHAR  -- NVTX range or OpenACC.
--     end_ns     BIGINT   -- End; that of the last range where it was never closed.
--     row_id     BIGINT   -- A number of its own among those of its kind.
WITH placed_text AS (
    SELECT
        id,
        text
    FROM string
    WHERE regexp_matches(text, '(?i)\.(py|pyx|ipynb|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|f|for|f[0-9]{2}|jl|rs)[:(][0-9]+')
),

named AS (
    SELECT
        event.globalTid AS thread_id,
        event.start AS start_ns,
        least(
            coalesce(event."end", (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)),
            (SELECT _nvtx_end_time.range_ns FROM _nvtx_end_time)
        ) AS end_ns,
        event.rowid AS row_id,
        regexp_extract(
            coalesce(placed_text.text, event.text),
            '^(?i)(.*\.(?:py|pyx|ipynb|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|f|for|f[0-9]{2}|jl|rs))'
            || '(?::([0-9]{1,9})|\(([0-9]{1,9})\))(?:[ :]+(.*)|\((.*)\))?$',
            ['file', 'line', 'other_line', 'function', 'called']
        ) AS place
    FROM pushdown._placed_range AS event
    LEFT JOIN placed_text ON event.textId = placed_text.id
    WHERE
        event.globalTid IS NOT NULL
        AND (
            placed_text.id IS NOT NULL
            OR regexp_matches(
                event.text, '(?i)\.(py|pyx|ipynb|c|cc|cpp|cxx|cu|cuh|h|hh|hpp|f|for|f[0-9]{2}|jl|rs)[:(][0-9]+'
            )
        )
)

SELECT
    'NVTX range' AS how,
    thread_id,
    start_ns,
    end_ns,
    row_id,
    place.file,
    (place.line || place.other_line)::BIGINT AS line,
    nullif(place.function || place.called, '') AS function
FROM named
WHERE place.file <> ''
UNION ALL
SELECT
    'OpenACC' AS how,
    event.thread_id,
    event.start_ns,
    event.end_ns,
    row_number() OVER (ORDER BY event.start_ns ASC, event.end_ns DESC, event.kind ASC, event.row_id ASC) AS row_id,
    nullif(file.text, '') AS file,
    nullif(event.line, 0) AS line,
    nullif(function.text, '') AS function
FROM openacc_event AS event
LEFT JOIN string AS file ON event.file_id = file.id
LEFT JOIN string AS function ON event.function_id = function.id
WHERE
    event.end_ns > event.start_ns
    AND event.thread_id IS NOT NULL
    AND (nullif(file.text, '') IS NOT NULL OR nullif(function.text, '') IS NOT NULL)
