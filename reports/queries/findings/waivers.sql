-- Waivers: who puts up with what until when, and which of them are stale.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, state, executor, op, types, class, owner, expires, reason,
       substr(signature, 1, 12) AS signature
FROM waiver_state
ORDER BY state = 'holds', expires, executor, signature;
