-- What the operands held: shares of NaN, infinities and subnormal numbers, by op.
-- SPDX-License-Identifier: Apache-2.0
-- Of a sample of the judged cases.
SELECT op, stratum, sum(cases) AS cases,
       100.0 * sum(CASE data WHEN 'ordinary' THEN cases ELSE 0 END) / sum(cases) AS "ordinary %",
       100.0 * sum(CASE data WHEN 'wide' THEN cases ELSE 0 END) / sum(cases) AS "wide %",
       100.0 * sum(CASE data WHEN 'special' THEN cases ELSE 0 END) / sum(cases) AS "special %",
       sum(operand_elements) AS "operand elements",
       100.0 * sum(nan_elements) / nullif(sum(operand_elements), 0) AS "NaN %",
       100.0 * sum(infinite_elements) / nullif(sum(operand_elements), 0) AS "infinite %",
       100.0 * sum(subnormal_elements) / nullif(sum(operand_elements), 0) AS "subnormal %"
FROM accuracy
GROUP BY op, stratum
ORDER BY op, stratum;
