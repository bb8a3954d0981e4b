-- Pairs of dot algorithms, one asked for: how many cases the bits told apart.
-- SPDX-License-Identifier: Apache-2.0
-- How much the data told: "asked only" and "other only" are the cases whose results one of the two
-- gives and the other does not.  The other is any algorithm that was asked for or observed with the
-- same types.  The pairs that the data told apart least come first.
WITH seen AS (
  SELECT op, algorithm AS asked, types, observed, '|' || observed || '|' AS bounded,
         sum(cases) AS cases
  FROM observation
  WHERE kind = 'algorithm'
  GROUP BY op, algorithm, types, observed
), known AS (  -- names are written in capitals; "default" is none
  SELECT op, types, asked AS name FROM seen WHERE asked GLOB '[A-Z]*'
  UNION
  SELECT op, types, json_each.value
  FROM seen, json_each('["' || replace(observed, '|', '","') || '"]')
  WHERE observed <> ''
), held AS (
  SELECT op, asked, name AS other, cases,
         instr(bounded, '|' || asked || '|') > 0 AS has_asked,
         instr(bounded, '|' || name || '|') > 0 AS has_other
  FROM seen JOIN known USING (op, types)
  WHERE asked GLOB '[A-Z]*' AND asked <> name
)
SELECT op, asked AS "asked for", other, sum(cases) AS cases,
       sum(cases * (has_asked AND NOT has_other)) AS "asked only",
       sum(cases * (has_other AND NOT has_asked)) AS "other only",
       sum(cases * (has_asked AND has_other)) AS both,
       sum(cases * NOT (has_asked OR has_other)) AS neither,
       100.0 * sum(cases * (has_asked <> has_other)) / sum(cases) AS "told apart %"
FROM held
GROUP BY op, asked, other
ORDER BY op, asked, "told apart %", other;
