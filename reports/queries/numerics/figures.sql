-- Findings by the figures of their worst case: K, condition, magnitudes, first case.
-- SPDX-License-Identifier: Apache-2.0
-- "first case" is the number of the case in its process that showed the finding first.
SELECT id, severity, executor, op, types, class, terms AS K, condition,
       term_magnitude AS "sum of |terms|", sum_magnitude AS "|exact sum|",
       backward_error AS "backward error", ulp_error AS ulp,
       100.0 * special_share AS "special inputs %", stratum, component_count AS elements, wrong_count AS wrong,
       1e6 * seconds AS us, first_ordinal AS "first case"
FROM finding
ORDER BY severity_rank, severity_weight DESC, id;
