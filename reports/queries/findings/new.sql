-- Findings that the last campaign saw first, the gravest first, with cause and case.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, severity, op, algorithm, types, executor, class,
       CASE cause_words WHEN '' THEN cause ELSE cause_words END AS cause, known_words AS known, pattern,
       sightings, small_got AS got, small_expected AS expected,
       small_case_line AS "case"
FROM finding
WHERE first_campaign = (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1)
ORDER BY severity_rank, severity_weight DESC, id;
