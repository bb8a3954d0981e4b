-- SPDX-License-Identifier: Apache-2.0
-- Version 17: which pairs are one backend asked in two ways.  The rules for columns are those of schema.sql.

-- are_twins: 1 if the run held the second executor against the first as its twin (--twins, --twin): the same
-- backend, which runs modules op by op, or another configuration; 0 for other pairs, and before this version.
ALTER TABLE pair ADD COLUMN are_twins INTEGER NOT NULL DEFAULT 0 CHECK (are_twins IN (0, 1));
