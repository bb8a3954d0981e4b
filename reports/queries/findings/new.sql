-- Findings that the last campaign saw first, with the cause and the case to look at.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, op, algorithm, types, executor, class,
       CASE cause_words WHEN '' THEN cause ELSE cause_words END AS cause, pattern,
       sightings, small_got AS got, small_expected AS expected,
       small_case_line AS "case"
FROM finding
WHERE first_campaign = (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1)
ORDER BY id;
