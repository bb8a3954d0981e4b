#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What only a looser formula permits proves nothing where that permits zeros, too: steps in bf16 may lose all of a long
# row.  A right answer needs no more than the tightest formula, and conforms; in a short row zeros are wrong.
. "$(dirname "$0")/../checks.sh"

repeat() { # TEXT COUNT
  awk -v text="$1" -v count="$2" 'BEGIN { for (i = 0; i < count; i++) printf "%s", text }'
}
# judged PAIRS PATTERN RESULT DESCRIPTION [CONTRACT]: a row of 1, -1, 1, -1, ... normed; RESULT is of each pair.
judged() {
  size=$((2 * $1))
  printf 'byteir.layer_norm epsilon=0x1p-10 axis=[0] eps_outside_sqrt=false bf16[%d] bf16[%d] bf16[%d] -> bf16[%d] : %s : %s : %s\t%s\n' \
    "$size" "$size" "$size" "$size" "$(repeat 3f80bf80 "$1")" "$(repeat 3f803f80 "$1")" "$(repeat 00000000 "$1")" \
    "$(repeat "$3" "$1")" | "$ASSAY" judge --contract "${5:-backend}" >out 2>err
  like out "$2" "$4"
}
judged 512 '^conforms' 3f80bf80 "1,024 numbers: a right answer conforms"
judged 512 '^weak: by what some elements need zeros would have conformed' 00000000 "zeros are weak"
judged 512 '^weak: by what some elements need' bf803f80 "and so are the signs turned"
judged 512 '^diverges' 00000000 "who computes in f32 may not give zeros" wide
judged 8 '^conforms' 3f80bf80 "16 numbers: a right answer conforms"
judged 8 '^diverges' 00000000 "zeros are wrong"
judged 8 '^conforms' 3f7fbf7f "an answer that needs steps in bf16 conforms, for zeros would not"
finish
