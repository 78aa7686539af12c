-- A CUDA API call on the CPU: runtime and driver.
--
-- Needs  api_call_record
-- Columns
--     name  VARCHAR  -- Name, shortened as `nsys stats` does.
SELECT
    api_call_record.*,
    api_name.name
FROM api_call_record
LEFT JOIN api_name ON api_call_record.name_id = api_name.id
