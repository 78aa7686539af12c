-- A cause of idle time: what it means, and what to do about it.
--
-- Every idle nanosecond is attributed to one of them; of causes with equal time, the earlier one here is named first.
-- Columns
--     idle_cause: cause, title, meaning, advice
--     needs    VARCHAR  -- Views and tables without which it is never attributed; NULL if none.
--     sharper  VARCHAR  -- Tables without which too much or too little is attributed to it; NULL if none.
SELECT * EXCLUDE (position)
FROM idle_cause
ORDER BY position ASC
