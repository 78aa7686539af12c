-- Call stacks of CPU samples as one text each.
--
-- Needs  SAMPLING_CALLCHAINS
-- Columns
--     names        VARCHAR  -- Functions, outermost first, between semicolons; a semicolon in a name is a comma.
--     inner_names  VARCHAR  -- Those that the Python interpreter called, directly or not; NULL if it called none.
--     is_python    BOOLEAN  -- The stack passes through the Python interpreter.
WITH interpreter AS (
    SELECT
        frame.id AS chain_id,
        min(frame.stackDepth) AS depth
    FROM raw.SAMPLING_CALLCHAINS AS frame
    INNER JOIN string AS module ON frame.module = module.id
    WHERE regexp_matches(module.text, '(^|[/\\])(python[0-9.]*|libpython[^/\\]*|pypy[0-9.]*)$')
    GROUP BY frame.id
)

SELECT
    frame.id AS chain_id,
    string_agg(replace(coalesce(symbol.text, '(unknown)'), ';', ','), ';' ORDER BY frame.stackDepth DESC) AS names,
    string_agg(replace(coalesce(symbol.text, '(unknown)'), ';', ','), ';' ORDER BY frame.stackDepth DESC)
    FILTER (WHERE frame.stackDepth < interpreter.depth) AS inner_names,
    any_value(interpreter.depth) IS NOT NULL AS is_python
FROM raw.SAMPLING_CALLCHAINS AS frame
LEFT JOIN string AS symbol ON frame.symbol = symbol.id
LEFT JOIN interpreter ON frame.id = interpreter.chain_id
GROUP BY frame.id
