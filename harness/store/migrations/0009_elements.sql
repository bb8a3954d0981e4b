-- SPDX-License-Identifier: Apache-2.0
-- Version 9: elements that were judged, and those among them that nothing could have failed.  The rules
-- for columns are those of schema.sql.  What older versions counted has 0 of both: nobody counted them.

-- elements: of the results of these cases.  untested: of these, where every value conforms, or NaN, zero
-- and twice the exact value do though none is right; an element of another case may have been tested.
ALTER TABLE counter ADD COLUMN elements INTEGER NOT NULL DEFAULT 0 CHECK (elements >= 0);
ALTER TABLE counter ADD COLUMN untested INTEGER NOT NULL DEFAULT 0
  CHECK (untested BETWEEN 0 AND elements);
