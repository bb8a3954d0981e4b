-- SPDX-License-Identifier: Apache-2.0
-- A million findings of 50 executors: each of 8 causes in 5 ops and 500 lists of types.
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
BEGIN;
CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 999999) SELECT i FROM n;
CREATE TEMP TABLE one AS SELECT * FROM divergence LIMIT 1;
CREATE TEMP TABLE kept AS SELECT * FROM reproducer WHERE divergence_id = (SELECT divergence_id FROM one);
INSERT INTO executor (executor_id, name, version, hardware)
SELECT 1000 + i, CASE i % 5 WHEN 0 THEN 'onnxruntime' WHEN 1 THEN 'torch' ELSE 'backend' || i END, '1.' || i, 'cpu' FROM n WHERE i < 50;
INSERT INTO divergence (divergence_id, executor_id, signature, op, algorithm, types, outcome, class, broken_constraint, sightings, first_seen, last_seen, first_run_id, last_run_id, cause, pattern)
SELECT 1000 + i, 1000 + i % 50, printf('%032x', i), 'op.number' || (i / 50 % 5), 'add', 'f32[' || (i / 2000) || ']', outcome, class, broken_constraint, sightings, first_seen, last_seen, first_run_id, last_run_id,
 CASE i / 250 % 8 WHEN 0 THEN '' ELSE 'cause-' || (i / 250 % 8) END, pattern FROM n, one;
INSERT INTO sighting SELECT 1000 + i, last_run_id, sightings, first_seen, last_seen FROM n, one;
INSERT INTO reproducer (divergence_id, role, program_id, run_id, case_line, case_seed, regime, implementation, result, component, wrong_count, component_count, got_bits, got, expected, observed, reason, ulp_error, slack, backward_error, cause_words, stratum, severity, data_extent, relative_error, severity_weight)
SELECT 1000 + i, role, program_id, run_id, case_line, case_seed, regime, implementation, result, component, wrong_count, component_count, got_bits, got, expected, observed, reason, ulp_error, slack, backward_error, cause_words, stratum, severity, data_extent, relative_error, severity_weight FROM n, kept;
COMMIT;
