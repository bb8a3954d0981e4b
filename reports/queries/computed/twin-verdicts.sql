-- How often twins (--twins, --twin) gave other bits, and who was outside.
-- SPDX-License-Identifier: Apache-2.0
WITH counted AS (
  SELECT first_executor_id AS own_id, second_executor_id AS twin_id, op, algorithm,
         sum(cases) AS cases, sum(different) AS different, sum(both_conform) AS both_conform,
         sum(first_diverges) AS own_diverges, sum(second_diverges) AS twin_diverges,
         sum(both_diverge) AS both_diverge, sum(undecided) AS undecided,
         sum(alike_wrong) AS alike_wrong
  FROM pair WHERE are_twins = 1 GROUP BY own_id, twin_id, op, algorithm
), named AS (
  SELECT executor_id, op, sum(cases) AS cases FROM counter WHERE class = 'twins'
  GROUP BY executor_id, op
), summed AS (
  SELECT own_id, twin_id, op, sum(cases) AS cases, sum(different) AS different,
         sum(both_conform) AS both_conform, sum(own_diverges) AS own_diverges,
         sum(twin_diverges) AS twin_diverges, sum(both_diverge) AS both_diverge,
         sum(undecided) AS undecided, sum(alike_wrong) AS alike_wrong,
         max(different) AS most, algorithm AS most_of
  FROM (SELECT * FROM counted ORDER BY different DESC, algorithm)
  GROUP BY own_id, twin_id, op
)
SELECT own.executor AS executor, twin.executor AS twin, summed.op AS op, summed.cases AS cases,
       different, round(100.0 * different / summed.cases, 2) AS "different %",
       both_conform AS "both conform",
       own_diverges AS "executor wrong",
       twin_diverges AS "twin wrong",
       both_diverge AS "both wrong",
       undecided,
       coalesce(named.cases, 0) AS "class twins",
       alike_wrong AS "wrong alike",
       CASE WHEN most > 0 THEN most_of ELSE '' END AS "most in"
FROM summed
JOIN executor_label AS own ON own.executor_id = own_id
JOIN executor_label AS twin ON twin.executor_id = twin_id
LEFT JOIN named ON named.executor_id = own_id AND named.op = summed.op
ORDER BY different DESC, executor, twin, op;
