-- SPDX-License-Identifier: Apache-2.0
-- Version 4: by which formulas composite ops were computed.  The rules for columns are those of
-- schema.sql.

-- What `observed` is.  algorithm: a set of dot algorithms, see version 3.  formula: of an op that
-- implementations compute by several formulas (byteir.softmax), the tightest one whose accept sets hold
-- all components of the results, as the permission of the contract spells it; '' if none does.  That is
-- every case of such an op that gave results which an oracle knows.  No op has both.
ALTER TABLE observation ADD COLUMN
  kind TEXT NOT NULL DEFAULT 'algorithm' CHECK (kind IN ('algorithm', 'formula'));
