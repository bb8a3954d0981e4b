#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tables with rules of a user's own in a shared object: the example of the corpus; built-in rules written that way, which
# give the same models as the built-in ones; and functions that do not keep their word.
. "$(dirname "$0")/../checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
compiler=$(command -v cc || command -v clang-19) || { echo "1..0 # SKIP there is no C compiler"; exit 0; }

build() { # SOURCE LIBRARY
  "$compiler" -std=c11 -O1 -Wall -Wextra -Werror -shared -fPIC -ffp-contract=off -I "$root" -I "$root/harness/quant/target" \
    -o "$2" "$1" -lm 2>compiler.log
}

# ---- The example
cp "$root"/corpus/quant/functions/* .
run 2 "a library that is not there" quant propagate sums.graph --table shifting_adder.table
like err "^assay: shifting_adder.table: line 4, .*shifting_adder.so does not load: " "a library that is not there: named, with its line"
build shifting_adder.c shifting_adder.so
ok $? "the example compiles"
run 0 "the example" quant propagate sums.graph --table shifting_adder.table
like out "^value ab !quant.uniform<i8:f32, 0.125>$" "the example: the least power of two above 0.0625 + 0.03125"
like out "^value abc !quant.uniform<i8:f32, 1.0>$" "the example: what follows from that"
run 0 "the example explained" quant explain sums.graph --table shifting_adder.table
like out "first output 'output' .*by rule function holds_every_sum (table shifting_adder, kernel of line 6)" "the example explained: which function"
run 0 "the example is run" quant run sums.graph --table shifting_adder.table --executor model:pairwise --inputs 4
run 0 "from another folder" quant check sums.graph --table "$PWD/../${PWD##*/}/shifting_adder.table"
sed 's/0.03125/0.03/' sums.graph >third.graph
run 0 "parameters that it refuses" quant explain third.graph --table shifting_adder.table
like out "stays in high precision: .*function of left, right, output: holds_every_sum: right has scale 0.03 and zero point 0, which is no shift" "parameters that it refuses: in its own words"

# ---- Built-in rules, written by a user
build "$root/tests/fixtures/quant_functions.c" functions.so || cat compiler.log
"$ASSAY" quant tables onednn >built_in.table
sed -e 's/rule same_scale/rule function same/' \
  -e 's/rule multiplier_accumulator_scale \(.*\) = \(.*\) \* \(.*\)/rule function accumulator \2 \3 \1/' \
  -e 's/^default .*/&\nlibrary functions.so/' built_in.table >own.table
[ "$(grep -c 'rule function' own.table)" -ge 30 ]
ok $? "the rules of onednn are a user's now"
for graph in separable_block conflicts; do
  "$ASSAY" quant propagate "$root/corpus/quant/$graph.graph" --table built_in.table >built_in.out 2>built_in.err
  "$ASSAY" quant propagate "$root/corpus/quant/$graph.graph" --table own.table >own.out 2>own.err
  cmp -s built_in.out own.out && cmp -s built_in.err own.err
  ok $? "$graph: the same model by a user's rules"
done
"$ASSAY" quant fuzz --graphs 400 --seed 7 --table built_in.table >built_in.out 2>built_in.err
"$ASSAY" quant fuzz --graphs 400 --seed 7 --table own.table >own.out 2>own.err
cmp -s built_in.out own.out
ok $? "400 drawn models: all properties as by the built-in rules"
unlike own.out "violates" "400 drawn models: none violated"

# ---- Functions that do not keep their word
faulty() { # EXIT FUNCTION PATTERN
  printf 'table t\ndefault i8\nlibrary functions.so\nkernel add\n in a i8\n in b i8\n out c i8\n rule function %s a b c\nend\n' "$2" >faulty.table
  run "$1" "$2" quant explain sums.graph --table faulty.table
  cat out err >both
  like both "$3" "$2: told"
}
faulty 0 changes_what_is_known "stays in high precision: .*changes_what_is_known changed a, which is known"
faulty 0 counts_its_calls "stays in high precision: .*counts_its_calls answers otherwise when asked again"
faulty 0 derives_a_negative_scale "stays in high precision: .*derives scale -1 of c, which is no positive finite f32"
faulty 0 derives_a_far_zero_point "stays in high precision: .*derives what c cannot have: "
faulty 0 derives_too_many "stays in high precision: .*derives 1000 scales of c, not 1"
faulty 0 answers_what_is_no_answer "stays in high precision: .*answers 42, which is no answer"
faulty 0 contradicts_itself "stays in high precision: .*contradicts_itself: whatever it was"
sed 's/^region first/value ab !quant.uniform<i8:f32, 0.5>\n&/; s/out ab f32\[4\]/& !quant.uniform<i8:f32, 0.5>/' sums.graph >given.graph
cp given.graph sums.graph
faulty 2 accepts_any_and_derives_one "functions.so: region first breaks function: .*accepts the parameters of c, and derives others"

# ---- Bad tables
bad() { # WHAT PATTERN SED
  sed "$3" faulty.table >bad.table
  run 2 "$1" quant check sums.graph --table bad.table
  like err "$2" "$1: told"
}
bad "a function without a library" "line 7, column 15: a function needs a line library PATH before all kernels" '/^library/d'
bad "a function that is not exported" "line 8, column 15: .*functions.so exports no function nobody" 's/function accepts[a-z_]*/function nobody/'
bad "a library behind a kernel" "line 8, .*: the library precedes all kernels" '/^library/d; /rule/d; $a library functions.so'
bad "two libraries" "line 4, .*: a table has one library" '3p'
bad "no path" "line 3, .*expected the path of a shared object" 's/^library.*/library/'
finish
