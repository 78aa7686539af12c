-- Texts of the export, by the id that events use for them.
--
-- Two ids can have the same text in trimmed exports; text_id is the smallest of them, so grouping by text_id is
-- grouping by text, at the cost of a number. If an id has two texts, which nsys never writes, the first in alphabetical
-- order counts. For pages, which set the variable name_letters, longer texts are cut and end in their length and a
-- digest, which keeps them distinct.
-- Needs  StringIds
-- Engine  table
-- Columns
--     id       BIGINT   -- Number of the text.
--     text_id  BIGINT   -- Smallest number of an equal text.
--     text     VARCHAR  -- The text.
WITH known AS (
    SELECT
        id,
        CASE
            WHEN length(value) > getvariable('name_letters')::BIGINT
                THEN
                    left(value, getvariable('name_letters')::BIGINT)
                    || '… (' || length(value) || ' letters, ' || md5(value) || ')'
            ELSE value
        END AS text
    FROM (
        SELECT
            id,
            min(value) AS value
        FROM raw.StringIds
        GROUP BY id
    ) AS number
)

SELECT
    id,
    min(id) OVER (PARTITION BY text) AS text_id,
    text
FROM known
