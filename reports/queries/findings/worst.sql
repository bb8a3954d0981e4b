-- The worst case of each finding, the gravest finding first, with its case line.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, severity, executor, class, slack, ulp_error AS ulp, got, expected, cause, case_line AS "case"
FROM finding
ORDER BY severity_rank, severity_weight DESC, slack DESC, ulp_error DESC, id;
