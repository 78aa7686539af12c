-- CPU page faults on unified memory, by source location.
--
-- Needs  cpu_page_fault
-- Columns
--     cpu_page_faults          BIGINT   -- [CPU Page Faults] Number of page faults.
--     cpu_instruction_address  VARCHAR  -- [CPU Instruction Address] Function or address of the instruction.
-- Same as  nsys stats --report um_cpu_page_faults_sum
SELECT
    count(*) AS cpu_page_faults,
    (SELECT min(string.text) FROM string WHERE string.id = fault.instruction_id) AS cpu_instruction_address
FROM cpu_page_fault AS fault
GROUP BY fault.instruction_id
ORDER BY cpu_page_faults DESC, fault.instruction_id ASC NULLS FIRST
