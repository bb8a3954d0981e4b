-- What came of findings when they ran again, the last time first.
-- SPDX-License-Identifier: Apache-2.0
SELECT tested, name AS executor, version, result, op, algorithm, types,
       rtrim(retest.outcome || ' ' || retest.class) AS seen, cases, executions, retest.reason,
       id, substr(retest.signature, 1, 12) AS signature
FROM retest JOIN executor USING (executor_id)
LEFT JOIN finding_state
  ON finding_state.executor = name AND finding_state.signature = retest.signature
ORDER BY tested DESC, run_id DESC, id;
