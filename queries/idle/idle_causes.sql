-- A cause of idle time: what it means, and what to do about it.
--
-- The list that every idle nanosecond is attributed by; of causes of equal length the earlier is named first.
-- Columns
--     idle_cause: cause, title, meaning, advice
--     needs    VARCHAR  -- Views and tables without which it is never found; NULL if none.
--     sharper  VARCHAR  -- Tables without which it is found too often or too seldom; NULL if none.
SELECT * EXCLUDE (position)
FROM idle_cause
ORDER BY position ASC
