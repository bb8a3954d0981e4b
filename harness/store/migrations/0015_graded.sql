-- SPDX-License-Identifier: Apache-2.0
-- Version 15: how much a finding matters stands with the finding, so that a million of them are put in
-- order by reading one table.  The rules for columns are those of schema.sql.

-- severity, severity_weight: those of the gravest case (reproducer with role 'gravest'), which the
-- triggers keep in step, whoever writes; '' and 0 of a finding of which no case is kept.
ALTER TABLE divergence ADD COLUMN severity TEXT NOT NULL DEFAULT '';
ALTER TABLE divergence ADD COLUMN severity_weight REAL NOT NULL DEFAULT 0;

UPDATE divergence SET (severity, severity_weight) =
  (SELECT severity, severity_weight FROM reproducer
   WHERE reproducer.divergence_id = divergence.divergence_id AND role = 'gravest')
WHERE divergence_id IN (SELECT divergence_id FROM reproducer WHERE role = 'gravest');

CREATE TRIGGER grade_added AFTER INSERT ON reproducer WHEN NEW.role = 'gravest' BEGIN
  UPDATE divergence SET severity = NEW.severity, severity_weight = NEW.severity_weight
  WHERE divergence_id = NEW.divergence_id;
END;
CREATE TRIGGER grade_changed AFTER UPDATE ON reproducer WHEN NEW.role = 'gravest' BEGIN
  UPDATE divergence SET severity = NEW.severity, severity_weight = NEW.severity_weight
  WHERE divergence_id = NEW.divergence_id;
END;

-- What is asked of all findings at once, without their texts: kinds of them, and who saw them first.
CREATE INDEX divergence_by_kind ON divergence (executor_id, op, class, first_run_id, last_run_id);
