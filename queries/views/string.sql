-- A text of the export, by the number that events use for it.
--
-- Two numbers can stand for one text in trimmed exports; text_id is the smallest of them, so grouping by
-- text_id is grouping by text, at the price of a number.
-- Needs  StringIds
-- Kept  as a table: small, and joined often
-- Columns
--     id       BIGINT   -- Number of the text.
--     text_id  BIGINT   -- Smallest number of an equal text.
--     text     VARCHAR  -- The text.
SELECT
    id,
    min(id) OVER (PARTITION BY value) AS text_id,
    value AS text
FROM raw.StringIds
