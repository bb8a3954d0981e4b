#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What results that somebody has are said to come of: planted faults of kernels, made here, and what looks like one and is none.
. "$(dirname "$0")/../checks.sh"

cat >make.py <<'END'
import random, struct, sys

random.seed(5)
TERMS, ROWS = 10, int(sys.argv[2]) if len(sys.argv) > 2 else 3
single = lambda x: struct.unpack(">f", struct.pack(">f", x))[0]
bits = lambda values: "".join(struct.pack(">f", x).hex() for x in values)
rows = [[single(random.gauss(0, 1)) for _ in range(TERMS)] for _ in range(ROWS)]


def add(values):
    total = 0.0
    for value in values:
        total = single(total + value)
    return total


faults = {
    "last": lambda row: row[-1],
    "first": lambda row: row[0],
    "last block": lambda row: add(row[8:]),
    "first block": lambda row: add(row[:4]),
    "mean": lambda row: single(add(row) / TERMS),
    "twice": lambda row: 2 * add(row),
}
fault, _, spoilt = sys.argv[1].partition("+")
results = [faults[fault](row) for row in rows]
if spoilt:  # One more component is wrong, in another way.
    results[ROWS // 3] += 100.0
print(f"stablehlo.reduce body=add dims=[1] f32[{ROWS},{TERMS}] f32[] -> f32[{ROWS}] : "
      f"{bits(x for row in rows for x in row)} : 00000000\t{bits(results)}")
END

named() { # FAULT CAUSE [ROWS]
  python3 make.py "$1" ${3:-3} >case.txt
  run 1 "sums, $1: wrong" judge case.txt
  like out "; cause: $2; " "sums, $1: $2"
}
named last "with the last term alone, 9 (of 10)"
named first "with the first term alone, 0 (of 10)"
named "last block" "with the last block of 4 or 8 terms alone"
named "first block" "with the first block of 4 terms alone"
named mean "each result is 1 over the number of terms times what it should be"
named twice "each result is 2 times what it should be"
named last "with the last term alone, 9 (of 10)" 300

unknown() { # FAULT ROWS
  python3 make.py "$1" "$2" >case.txt
  run 1 "sums of $2 rows, $1: wrong" judge case.txt
  unlike out "cause" "a name must explain all that is wrong"
}
unknown last+one 3
unknown last+one 200
unknown twice+one 200

# Each result is the second number of bf16 beyond the exact sum: of two terms that may be of an accumulator, of one there is none.
cat >narrow.py <<'END'
import random, struct, sys

random.seed(7)
TERMS, ROWS = int(sys.argv[1]), 8
word = lambda x: struct.unpack(">I", struct.pack(">f", x))[0]
rows = [[random.uniform(1, 2) for _ in range(TERMS)] for _ in range(ROWS)]
text = "".join(f"{word(x):08x}" for row in rows for x in row)
got = "".join(f"{(word(sum(row)) & 0xffff0000) + 0x20000:08x}" for row in rows)
print(f"stablehlo.reduce body=add dims=[1] f32[{ROWS},{TERMS}] f32[] -> f32[{ROWS}] : {text} : 00000000\t{got}")
END
sure() { # TERMS BOOLEAN
  python3 narrow.py "$1" >narrow.txt
  run 1 "numbers of bf16 beyond sums, of $1: wrong" judge --json narrow.txt
  like out '"cause": "narrow-accumulator"' "numbers of bf16 beyond sums, of $1: an accumulator"
  like out "\"cause_sure\": $2" "numbers of bf16 beyond sums, of $1: sure: $2"
}
sure 2 true
sure 1 false

# max(NaN, b) is b here.  That is what reading the next element, which is smaller than b, in place of NaN gives too.
printf '%s\t%s\n' 'stablehlo.maximum f32[1,2,1] f32[1,2,1] -> f32[1,2,1] : ffc00000c0a8c06b : 807536aa35400000' 807536aa35400000 >nan.txt
run 1 "a NaN is dropped" judge nan.txt
unlike out "neighbouring" "it is not called an offset"
finish
