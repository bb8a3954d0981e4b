-- Who disagrees with whom: cases compared, different bits, whom the oracle blames.
-- SPDX-License-Identifier: Apache-2.0
SELECT first, second, op, algorithm, types, cases, different,
       both_conform AS "both conform",
       first_diverges AS "first wrong",
       second_diverges AS "second wrong",
       both_diverge AS "both wrong",
       undecided,
       alike_wrong AS "wrong alike"
FROM agreement
ORDER BY first, second, op, algorithm, types;
