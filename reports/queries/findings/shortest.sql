-- The smallest case of each finding, shrunk if it has been (the first 50).
-- SPDX-License-Identifier: Apache-2.0
SELECT id, executor, class, cause, sightings, small_case_line AS "case"
FROM finding
ORDER BY length(small_case_line), id
LIMIT 50;
