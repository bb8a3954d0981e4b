-- Percentiles of ulp error and slack, by op, algorithm, types and executor.
SELECT op, algorithm, types, executor, measure, cases, p50, p90, p99, maximum AS max
FROM percentile
ORDER BY op, algorithm, types, executor, measure DESC;
