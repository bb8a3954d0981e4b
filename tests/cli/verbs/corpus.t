#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay corpus --tidy brings files of cases into one form, keeps what people wrote, and says what it did.
. "$(dirname "$0")/../checks.sh"
corpus=$(cd "$(dirname "$ASSAY")/.." && pwd)/corpus

# Our own corpus is tidy.
if [ -d "$corpus/directed" ]; then
  run 0 "our corpus is tidy" corpus --tidy --check "$corpus"
  run 0 "cases are counted" corpus --list "$corpus"
  "$ASSAY" ops >ops
  [ "$(wc -l <out)" -eq "$(wc -l <ops)" ]
  ok $? "every op has cases"
  [ "$(awk '{ sum += $1 } END { print sum }' out)" -eq "$(cat "$corpus"/*/*.cases | grep -c '^[a-z]')" ]
  ok $? "all of them are counted"
  run 0 "directed cases are counted" corpus --list "$corpus/directed"
  [ "$(wc -l <out)" -eq "$(wc -l <ops)" ]
  ok $? "every op has directed cases"
fi

sum='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f8000003f800000 : 00000000'
other='stablehlo.reduce body=add dims=[0] f32[1] f32[] -> f32[] : 3f800000 : 00000000'
mkdir -p one
cat >one/a.cases <<END

# A head.   


# A reason.
  $sum
=! 3f800000
= 40000000
=! 3f800000
# Another, without an empty line before it.
$other
=? 3f800000
$other
=! 40000000

$sum
= 40000000

# Said again, with more.
$sum
=! 00000000

END
cat >expected <<END
# A head.

# A reason.
$sum
= 40000000
=! 3f800000

# Another, without an empty line before it.
$other
=? 3f800000
=! 40000000

# Said again, with more.
$sum
=! 00000000
END
cp one/a.cases before
run 1 "--check finds what is not tidy" corpus --tidy --check one
cmp -s one/a.cases before
ok $? "--check writes nothing"
run 0 "--tidy mends it" corpus --tidy one
cmp -s one/a.cases expected
ok $? "the canonical form"
like out '^one/a.cases:2: blanks at the ends' "says where: blanks"
like out '^one/a.cases:8: goes before' "says where: order"
like out '^one/a.cases:9: a result that stands already' "says where: a result twice"
like out '^one/a.cases:10: an empty line goes before this comment' "says where: comment"
like out '^one/a.cases:13: the case of line 11 again' "says where: a case twice in a block"
like out '^one/a.cases:16: says nothing that line 6 does not' "says where: a case twice in a file"
like err '^1 files, 2 cases; 1 files made tidy' "counts"
run 0 "it is tidy then" corpus --tidy --check one/a.cases
[ ! -s out ]
ok $? "a second time changes nothing"
printf '%s' "$(cat expected)" >one/a.cases
run 0 "without a last newline" corpus --tidy one
like out 'lacks its newline' "says so"
cmp -s one/a.cases expected
ok $? "it has one then"

cp expected one/b.cases
run 0 "two files with the same cases" corpus --tidy one
like err "^assay: one/b.cases:4: the case is in one/a.cases:4 too" "are told, with both places"

# bad DESCRIPTION TEXT PLACE WHAT: a file that is refused, and left as it is.
bad() {
  mkdir -p bad
  printf "$2" >bad/x.cases
  cp bad/x.cases before
  run 2 "$1" corpus --tidy bad
  like err "^assay: bad/x.cases:$3: .*$4" "$1: where and what"
  cmp -s bad/x.cases before
  ok $? "$1: the file is left alone"
}
bad "a line that is nothing" "# A head.\nstablehlo.reduce body=add\n" 2:26 ''
bad "a bad type" "stablehlo.reduce body=add dims=[0] f33[2] f32[] -> f32[] : 0 : 0\n" 1:36 'f33'
bad "a result without a case" "# A head.\n= 00\n" 2:1 'without a case'
bad "a result of another size" "$other\n= 00\n" 2:3 'hex digits'
bad "a result of no kind" "$other\n=x 3f800000\n" 2:1 'begins with'
bad "too much in a result" "$other\n= 3f800000 : 00\n" 2:11 'the end'
bad "two only results" "$other\n= 3f800000\n= 40000000\n" 3:1 'contradicts'
bad "right and wrong at once" "$other\n= 3f800000\n\n# Again.\n$other\n=! 3f800000\n" 5:1 'contradicts'
printf 'a\000b' >bad/x.cases
run 2 "a file that is no text" corpus --tidy bad
like err 'zero byte' "a file that is no text: says so"

mkdir empty
run 2 "a folder without cases" corpus --tidy empty
run 2 "a file that is not there" corpus --tidy nowhere.cases
like err "nowhere.cases" "a file that is not there: which"
run 2 "nothing to do" corpus one
like err "assay corpus --tidy" "nothing to do: what to write"
run 2 "--check alone" corpus --check one
run 2 "no path" corpus --tidy
finish
