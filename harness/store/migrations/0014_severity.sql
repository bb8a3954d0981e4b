-- SPDX-License-Identifier: Apache-2.0
-- Version 14: how much a finding matters.  The rules for columns are those of schema.sql.

-- As before, with one more role (gravest: by severity, then by weight, of all cases that showed the
-- finding) and four more columns, which the store fills in, for what was there too:
-- severity: harness/store/severity/severities.def, the gravest first.
-- data_extent: how far the operand elements go from 1, the farthest, in binary orders of magnitude; Inf
-- if one is an infinity or NaN; half of an integer type's bits, but at least 8, are 16 orders.  Data are
-- ordinary up to 16.  NULL: the case line is none that can be read.
-- relative_error: of the worst element, from what conforms, over the larger of the two; 0 to 2, NULL
-- where one of them is not a number.
-- severity_weight: inside a severity the larger is graver: log2(relative_error) - data_extent / 4.
CREATE TABLE reproducer_14 (
  divergence_id   INTEGER NOT NULL REFERENCES divergence,
  role            TEXT NOT NULL CHECK (role IN ('worst', 'shortest', 'shrunk', 'gravest')),
  program_id      INTEGER NOT NULL REFERENCES program,
  run_id          INTEGER NOT NULL REFERENCES run,
  case_line       TEXT NOT NULL CHECK (case_line <> ''),
  case_seed       TEXT NOT NULL CHECK (case_seed GLOB '[0-9]*'),
  regime          TEXT NOT NULL,
  implementation  TEXT NOT NULL,
  result          INTEGER NOT NULL,
  component       INTEGER NOT NULL,
  wrong_count     INTEGER NOT NULL,
  component_count INTEGER NOT NULL,
  got_bits        TEXT NOT NULL,
  got             TEXT NOT NULL,
  expected        TEXT NOT NULL,
  observed        TEXT NOT NULL,
  reason          TEXT NOT NULL,
  ulp_error       REAL CHECK (ulp_error >= 0),
  slack           REAL CHECK (slack >= 0),
  backward_error  REAL CHECK (backward_error >= 0),
  cause_words     TEXT NOT NULL DEFAULT '',
  stratum         TEXT NOT NULL DEFAULT '',
  severity        TEXT NOT NULL DEFAULT '',
  data_extent     REAL CHECK (data_extent >= 0),
  relative_error  REAL CHECK (relative_error >= 0),
  severity_weight REAL NOT NULL DEFAULT 0,
  PRIMARY KEY (divergence_id, role)
) STRICT;
INSERT INTO reproducer_14
SELECT divergence_id, role, program_id, run_id, case_line, case_seed, regime, implementation, result,
       component, wrong_count, component_count, got_bits, got, expected, observed, reason, ulp_error,
       slack, backward_error, cause_words, stratum,
       severity_of('severity', class, cause, types, case_line, got, expected),
       severity_of('data_extent', class, cause, types, case_line, got, expected),
       severity_of('relative_error', class, cause, types, case_line, got, expected),
       severity_of('weight', class, cause, types, case_line, got, expected)
FROM reproducer JOIN divergence USING (divergence_id);
INSERT INTO reproducer_14
SELECT divergence_id, 'gravest', program_id, run_id, case_line, case_seed, regime, implementation, result,
       component, wrong_count, component_count, got_bits, got, expected, observed, reason, ulp_error,
       slack, backward_error, cause_words, stratum, severity, data_extent, relative_error,
       severity_weight
FROM (SELECT *, row_number() OVER (
              PARTITION BY divergence_id
              ORDER BY severity_rank(severity), severity_weight DESC, length(case_line)) AS place
      FROM reproducer_14)
WHERE place = 1;
DROP TABLE reproducer;
ALTER TABLE reproducer_14 RENAME TO reproducer;
