-- The worst case of each finding, worst first, with its case line (the first 50).
-- SPDX-License-Identifier: Apache-2.0
SELECT id, executor, class, slack, ulp_error AS ulp, got, expected, cause, case_line AS "case"
FROM finding
ORDER BY slack DESC, ulp_error DESC, id
LIMIT 50;
