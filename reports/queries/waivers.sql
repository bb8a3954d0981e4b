-- Waivers: who puts up with what until when, and which of them are stale.
SELECT id, state, executor, op, types, class, owner, expires, reason,
       substr(signature, 1, 12) AS signature
FROM waiver_state
ORDER BY state = 'holds', expires, executor, signature;
