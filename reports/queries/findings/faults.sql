-- One fault a row, the gravest first: its smallest case, and what is known of it.
-- SPDX-License-Identifier: Apache-2.0
SELECT root_cause.severity, root_cause.executor,
       CASE WHEN known.title <> '' THEN known.title
            WHEN root_cause.cause_words <> '' THEN root_cause.cause_words
            ELSE 'class ' || root_cause.class END AS fault,
       root_cause.op_list AS ops, finding.small_got AS got, finding.small_expected AS permitted,
       coalesce(known.mended, '') AS mended, coalesce(known.links, '') AS "told upstream",
       root_cause.known, finding.small_case_line AS "case"
FROM root_cause
JOIN finding ON finding.id = root_cause.example_id
LEFT JOIN (SELECT id, max(title) AS title, max(mended) AS mended, max(links) AS links
           FROM known GROUP BY id) AS known ON known.id = root_cause.known
ORDER BY root_cause.severity_rank, root_cause.severity_weight DESC, root_cause.executor,
         root_cause.hypothesis, root_cause.family;
