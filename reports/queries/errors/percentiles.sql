-- Percentiles of ulp error and slack, by op, algorithm, types and executor.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, algorithm, types, executor, measure, cases, p50, p90, p99, maximum AS max
FROM percentile
ORDER BY op, algorithm, types, executor, measure DESC;
