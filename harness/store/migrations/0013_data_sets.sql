-- SPDX-License-Identifier: Apache-2.0
-- Version 13: how much data is drawn for a program.  The rules for columns are those of schema.sql.

-- data_sets: how many data sets each small program got at a turn, "2-4" or "3", as --data-sets takes them;
-- '' where none are drawn so, and for runs before this version, of which a program got 4 at first and 32
-- in the end.
ALTER TABLE run ADD COLUMN data_sets TEXT NOT NULL DEFAULT '';
