-- Campaign by campaign, the first one first: cases, shares, findings, largest errors.
-- SPDX-License-Identifier: Apache-2.0
SELECT number, campaign, started, cases, conforms + wrong AS judged, wrong,
       CASE WHEN conforms + wrong > 0 THEN 100.0 * wrong / (conforms + wrong) END AS "wrong %",
       CASE WHEN cases > 0 THEN 100.0 * (refused + no_oracle + weak) / cases END AS "unjudged %",
       findings, new_findings AS "new findings",
       ulp_error_max AS "max ulp", slack_used_max AS "slack used"
FROM campaign
ORDER BY number;
