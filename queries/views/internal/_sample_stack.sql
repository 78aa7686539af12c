-- Call stacks of CPU samples as one text each.
--
-- Needs  SAMPLING_CALLCHAINS
-- Columns
--     chain_id  BIGINT   -- The call stack.
--     names     VARCHAR  -- Functions, outermost first, between semicolons; a semicolon in a name is a comma.
SELECT
    frame.id AS chain_id,
    string_agg(replace(coalesce(symbol.text, '(unknown)'), ';', ','), ';' ORDER BY frame.stackDepth DESC) AS names
FROM raw.SAMPLING_CALLCHAINS AS frame
LEFT JOIN string AS symbol ON frame.symbol = symbol.id
GROUP BY frame.id
