#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ops that files declare, on the command line: files that are none, the lines that replay findings, and
# processes that are started.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

cat >silu.op <<'END'
op my.silu
summary x times the logistic function of x
operand x[N...]
result y[N...]
y = x / (1 + exp(-x))
END
mkdir folder empty
cp silu.op folder/a.op
case='my.silu f32[1] -> f32[1] : 00000000'

# refuses DESCRIPTION PATTERN WORD...: a mistake is told with its place, and nothing runs.
refuses() {
  what=$1 pattern=$2
  shift 2
  run 2 "$what" show "$case" "$@"
  like err "^assay: $pattern" "$what: is told"
}
printf '\001\377\000\n\n' >binary.op
{ printf 'op a.b\nsummary '; head -c 2000 /dev/zero | tr '\0' s; echo; } >long.op
{ cat silu.op; echo "z = $(head -c 900 /dev/zero | tr '\0' '(')"; } >deep.op
sed 's/exp(-x)/exp(-y)/' silu.op >itself.op
: >nothing.op
refuses "an empty file" 'nothing.op:1:1: the file ends without "op PREFIX.NAME"' --ops nothing.op
refuses "a binary file" 'binary.op:1:1: byte 0x01' --ops binary.op
refuses "a long line" 'long.op:2:1: a line has at most 1000 bytes' --ops long.op
refuses "many parentheses" 'deep.op:6:905: expected a value' --ops deep.op
refuses "a step of itself" 'itself.op:5:19: no value "y"' --ops itself.op
refuses "no file" 'cannot read missing.op (--ops): No such file' --ops missing.op
refuses "a device without an end" '/dev/zero has more than 1048576 bytes' --ops /dev/zero
refuses "a folder without files" 'there is no \*.op in the folder empty' --ops empty
refuses "an op twice" 'folder/a.op:1: silu.op declares my.silu already' --ops silu.op:folder
refuses "no path" '--ops names a file or a folder' --ops
refuses "an empty path" '--ops names a file or a folder' --ops=

run 0 "a file" show "$case" --ops silu.op
run 0 "a folder" show "$case" --ops=folder
ASSAY_OPS=silu.op run 0 "by the environment" show "$case"
run 2 "not at all" show "$case"

# The line that replays a finding has all that it needs, in another folder, too.
run 1 "a finding" run --ops silu.op --op my.silu --executor canary:exp_in_bf16 --cases 100
sed -n 's/^ *assay replay/"$ASSAY" replay/p' out | head -1 >line
(cd empty && . ../line) >out 2>err
[ $? -eq 1 ]
ok $? "a finding: its line replays it"
like out "diverges" "a finding: as it was"
run 1 "large findings" run --ops silu.op --program 'my.silu f32[400] -> f32[400]' --executor canary:exp_in_bf16 --cases 5
sed -n 's/^ *assay gen\(.*\)| assay replay/"$ASSAY" gen\1| "$ASSAY" replay/p' out | head -1 >line
(cd empty && . ../line) >out 2>err
[ $? -eq 1 ]
ok $? "large findings: their line draws and replays one"

# What a result would be right as: a section of the file; not a result of which one element is wrong in any case.
run 1 "readings" judge "$root/tests/fixtures/readings.results" --ops "$root/corpus/ops"
is "$(sed -n 's/.*it would conform with reading=//p' out | tr '\n' ' ')" \
  'base-2 divided-by-root unscaled divided-by-count epsilon-outside sum weight-plus-one epsilon-larger ' "readings: each is named"
is "$(grep -c '^diverges' out)" 9 "readings: none conforms, and the last is none of these"
printf 'reading half\ny = x / (2 + exp(-x))\n' | cat silu.op - >read.op
run 0 "a file with a reading" run --ops read.op --op my.silu --executor model:pairwise --cases 50
reading() {
  printf "$3" | cat silu.op - >wrong.op
  refuses "$1" "wrong.op:$2" --ops wrong.op
}
reading "a reading of nothing" '6:1: a reading without a line "NAME = ..."' 'reading half\n'
reading "a reading without a name" '6:1: expected "reading NAME"' 'reading\ny = x\n'
reading "a reading of a name that is none" '7:1: no line "z = ..." above' 'reading half\nz = x\n'
reading "a reading with a mistake" '7:9: no value "w"' 'reading half\ny = x * w\n'
reading "a reading with another result" '7:1: result y does not run along' 'reading half\ny = sum(x over N)\n'
reading "a reading that is there" '8:1: a reading of that name is there already' 'reading half\ny = x * 2\nreading half\ny = x * 3\n'
reading "a line that is there" '8:1: y is there already' 'reading half\ny = x * 2\ny = x * 3\n'
reading "a statement in a reading" '7:1: expected "NAME = ...", of a name above' 'reading half\noperand z[N...]\n'

run 0 "a search" fuzz --ops silu.op --op my.silu --executor model:pairwise --runs 200 --artifacts found
run 0 "isolated" run --ops silu.op --op my.silu --executor model:pairwise --cases 50 --isolate
finish
