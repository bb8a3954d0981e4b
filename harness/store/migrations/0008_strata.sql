-- SPDX-License-Identifier: Apache-2.0
-- Version 8: where cases are drawn from.  The rules for columns are those of schema.sql.

-- strata: the shares of programs that came from each stratum, "corner=840,tiles=60", as --strata takes
-- them; '' for runs before this version, all of whose cases came from the corner.
ALTER TABLE run ADD COLUMN strata TEXT NOT NULL DEFAULT '';

-- stratum: of the data of the case (harness/gen/strata.def), '' if it was not drawn or before this
-- version.
ALTER TABLE reproducer ADD COLUMN stratum TEXT NOT NULL DEFAULT '';
