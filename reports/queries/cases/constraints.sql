-- Constraints of the specifications: drawn broken, rejected, accepted, never drawn.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, broken_constraint AS "constraint",
       CASE WHEN drawn = 0 THEN 'never drawn'
            WHEN accepted > 0 THEN 'accepted'
            WHEN rejected > 0 THEN 'rejected'
            ELSE 'undecided' END AS state,
       drawn, rejected, accepted, neither, accepted_by AS "accepted by", text
FROM constraint_coverage
ORDER BY op, length(broken_constraint), broken_constraint;
