-- The name of the ranges that mark steps, if a question gives one (parameter step_range).
--
-- Columns
--     step_range  VARCHAR  -- NAME or NAME@DOMAIN; NULL if none is given.
SELECT getvariable('step_range')::VARCHAR AS step_range
