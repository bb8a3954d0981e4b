#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay prove writes bundles, and reports/check_evidence.py decides them by itself: what is proven of corpus/found, that
# nothing right is ever proven wrong, and that a bundle that was changed is refused.
. "$(dirname "$0")/../checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -d "$root/corpus/found" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
helper=$root/tests/cli/verdicts/evidence.py

# The floor: proven claims of corpus/found.  It only grows; the rest is undecided for a reason that the script tells.
PROVEN_MIN=418

! wc -l "$root"/reports/check_*.py |
  grep -v total | grep -v -q -E '^ *([12]?[0-9]?[0-9]|300) '
ok $? "each script has at most 300 lines"
! grep -h -E '^(import|from) ' "$root"/reports/check_*.py | tr -d , |
  sed 's/^import //; s/^from \([a-z_]*\) .*/\1/' | tr ' ' '\n' | grep -v -x -e 'hashlib\|itertools\|json\|math\|re\|sys\|fractions\|check_evidence\|check_other_ops\|check_formulas' >out
ok $? "it imports nothing but Python's own modules"

claims=0
for file in "$root"/corpus/found/*.cases; do
  "$ASSAY" prove "$file" --out bundles >>told 2>>err
  status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || echo "# ${file##*/}: exit code $status" >>failed
  claims=$((claims + $(grep -c '^=!' "$file")))
done
[ ! -e failed ]
ok $? "all of corpus/found is written and decided"
[ "$(ls bundles | wc -l)" -eq "$claims" ]
ok $? "a bundle for each wrong result of corpus/found"
proven=$(grep -c '^[^ ]*: proven: ' told)
undecided=$(grep -c '^[^ ]*: not decided: .' told)
[ "$proven" -ge $PROVEN_MIN ] && [ $((proven + undecided)) -eq "$claims" ]
ok $? "$proven of $claims are proven, at least $PROVEN_MIN; the others are not decided, and why is said"

# The scripts alone, elsewhere, say the same.
mkdir alone
cp "$root"/reports/check_*.py alone
python3 alone/check_evidence.py bundles/*.json >again
[ $? -eq 3 ]
ok $? "alone: exit code 3, as some are not decided"
sort told >out
sort again | cmp -s - out
ok $? "alone: the same answers"
find alone -name 'check_*.py' ! -name check_evidence.py -exec rm {} +
python3 alone/check_evidence.py bundles/openblas-*.json bundles/torch_cuda-*.json >out
ok $? "the first script alone decides sums"

tests() { # WHAT ARGUMENT...: points of evidence.py
  python3 "$helper" "$root/reports" "$@" >points 2>err
  [ $? -eq 0 ] && [ -s points ]
  ok $? "$1: the tests ran to their end"
  while read -r line; do
    case $line in
      ok*) count=$((count + 1)); echo "ok $count - ${line#ok }" ;;
      not*) count=$((count + 1)); bad=$((bad + 1)); echo "not ok $count - ${line#not ok }" ;;
      *) echo "$line" ;;
    esac
  done <points
}
contract=$(json bundles/openblas-*.json '$d->{contract}' 2>/dev/null | head -1)
[ -n "$contract" ] || contract=$(sed -n 's/^ "contract": "\(.*\)",/\1/p' bundles/torch-*.json | head -1)
tests conforming "$contract" "$root"/corpus/*/*.cases
for model in sequential random+fma; do
  for op in stablehlo.dot_general stablehlo.reduce stablehlo.convolution stablehlo.reduce_window stablehlo.all_reduce stablehlo.convert \
    stablehlo.uniform_quantize stablehlo.add stablehlo.maximum byteir.softmax byteir.log_softmax byteir.gelu byteir.erf byteir.top_k byteir.layer_norm \
    byteir.l2_norm stablehlo.batch_norm_training; do
    "$ASSAY" gen --op $op --cases 5 --seed 5 --strata corner=1
  done | "$ASSAY" subject --executor model:$model >results
  tests returned "$contract" results
done
# Functions and ops that round once: what a model returns, and all that Assay accepts of the patterns near it: the ends of its sets lie
# in the script's.
for op in exponential exponential_minus_one log log_plus_one tanh rsqrt sine cosine sqrt logistic divide remainder compare select clamp sign \
  abs floor ceil round_nearest_even round_nearest_afz; do
  "$ASSAY" gen --op stablehlo.$op --cases 8 --seed 5 --strata corner=1
done | "$ASSAY" subject --executor model:sequential >results
python3 "$helper" "$root/reports" near results >near
tests returned "$contract" results
for change in ftz=none ftz=both function_range=ulps intermediate=native; do
  varied=$(echo "$contract" | sed "s/${change%=*}=[a-z]*/$change/")
  "$ASSAY" judge --contract "$varied" near >verdicts 2>>err
  tests judged "$varied" near verdicts
done
# Programs of the kinds that the other scripts know: what a model returns of each, and all that Assay accepts beside it.
grep -v '^#' "$root/tests/fixtures/evidence.programs" >programs
while read -r line; do
  "$ASSAY" gen --program "${line#ZERO }" --cases 2 --seed 33 >drawn
  case $line in
    ZERO*) perl -ne 'chomp; /(.*) : ([0-9a-f]*)$/; print "$1 : ", "0" x length $2, "\n"' drawn ;;
    *) cat drawn ;;
  esac
done <programs >drawn_cases
[ "$(cut -d: -f1 drawn_cases | uniq | wc -l)" -ge "$(wc -l <programs)" ]
ok $? "data are drawn of each program of tests/fixtures/evidence.programs"
"$ASSAY" subject --executor model:random+fma <drawn_cases >results
tests returned "$contract" results
python3 "$helper" "$root/reports" beside results >beside
for change in ftz=none ftz=both intermediates=rounded; do
  varied=$(echo "$contract" | sed "s/${change%=*}=[a-z]*/$change/")
  "$ASSAY" judge --contract "$varied" beside >verdicts 2>>err
  tests judged "$varied" beside verdicts
done

# These tests see faults of the scripts: each is planted in a copy, which then proves wrong what is right of some programs.
"$ASSAY" judge --contract "$contract" beside >verdicts 2>>err
plant() { # PATTERN SCRIPT OLD NEW: of programs that match a pattern
  pattern=$1
  shift
  grep -n -e "$pattern" beside | cut -d: -f1 >numbers
  for file in beside verdicts; do awk 'NR == FNR { is_kept[$1] = 1; next } FNR in is_kept' numbers $file >some_$file; done
  rm -rf planted
  mkdir planted
  cp "$root"/reports/check_*.py planted
  python3 - "planted/$1" "$2" "$3" <<'EOF'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
assert text.count(old) == 1, f"{path} has {text.count(old)} of {old}"
open(path, "w").write(text.replace(old, new))
EOF
  [ $? -eq 0 ] && python3 "$helper" planted judged "$contract" some_beside some_verdicts >points 2>>err && grep -q '^# ' points
  ok $? "a planted fault is seen: $1, $3 for $2"
}
plant algorithm= check_algorithms.py '[:kept]' '[: kept - 1]'
plant algorithm= check_algorithms.py 'return joined(result)' 'return result[:1]'
plant resize check_images.py 'bound = Q(9, 8)' 'bound = 0'
plant resize check_images.py '"half_pixel" in transformation' '"pytorch" in transformation'
plant replica_groups check_images.py 'for k in range(count) for r in group] for group in groups]' 'for r in group for k in range(count)] for group in groups]'
plant select_and_scatter check_images.py 'best is None or not keeps' 'best is None or keeps'
plant module check_steps.py '"is_kept": not is_returned' '"is_kept": False'
plant gelu check_norms.py 'Q(0), 2 * k * g.u + 6 * u' 'Q(0), Q(0)'
plant batch_norm_grad check_norms.py '[d ** k for d in inverse]) for e, k in zip(parts, (1, 3))' '[d ** k for d in inverse]) for e, k in zip(parts, (1, 2))'
plant gather check_images.py 'where[d] += sorted((0, ' 'where[d] += sorted((1, '
plant gather check_images.py 'batch[e - (e > axis)]' 'batch[0]'
plant top_k check_images.py 'if a["sorted"] == "true"' 'if True'
plant E8M0 check_images.py 'value == unit * Q(3, 2) or' ''
plant 'maximum !quant' check_other_ops.py 'return quantized(extreme(s, name == "maximum", p), r, index, p) + rescaled(' 'return quantized(extreme(s, name == "maximum", p), r, index, p) + 0 * rescaled('
plant 'subtract !quant' check_other_ops.py 'abs(t.integer(i)) + abs(zero)' 'abs(t.integer(i) - zero)'
plant 'reduce body={' check_bodies.py 'leaves[mask.bit_length() - 1]' 'leaves[0]'
plant FNUZ check_evidence.py 'if self.p == 1 or self.has_one_zero and bits == 128' 'if self.p == 1'
plant FNUZ check_evidence.py 'r.format and r.format.has_one_zero) and' 'False) and'
plant E4M3FN check_evidence.py '"f8E4M3FN": (8, 4, 7' '"f8E4M3FN": (8, 4, 8'
tests tampered bundles/*.json

# One claim at a time.
sum='stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[4] -> f32[] : 43808000428000004280000042800000 : 3f800000428000004280000042800000'
run 0 "a case that is run" prove "$sum" --executor canary:narrow_operands --out one.json
like out '^one.json: proven: 46440000 is none of 12545..12545$' "the set in words"
[ "$(json one.json '"$d->{claim}{got} $d->{witness}{theorems} $d->{witness}{exact}[0] $d->{executor}{name}"')" = "46440000 T17 12545 canary:narrow_operands" ]
ok $? "the bundle: got, theorem, exact value, executor"
run 0 "a result that is given" prove "$sum	46440000"
like out '^evidence.json: proven' "the default file"
run 2 "a result that is right" prove "$sum	46440400"
like err 'conforms: no element .* nothing to prove' "a result that is right: says so"
run 2 "a case alone" prove "$sum"
like err 'add --executor NAME' "a case alone: what to do"
run 2 "an executor that is right" prove "$sum" --executor model:pairwise
run 2 "no results" prove "$sum	refused"
run 2 "a bad case" prove "nothing"
run 2 "a file of cases without --out" prove "$root/corpus/found/tflite.cases"
run 2 "a file that is not there" prove none.cases --out x
run 2 "a finding without a database" prove 1
"$ASSAY" run --executor canary:drop_last_term --op stablehlo.reduce --cases 300 --db f.db >/dev/null 2>&1
run 0 "a finding of a database" prove 1 --db f.db --out finding.json
like out '^finding.json: proven' "a finding of a database: proven"
run 2 "a finding that is not there" prove 1000 --db f.db
like err 'no finding 1000' "a finding that is not there: says so"
echo '{}' >empty.json
python3 "$root/reports/check_evidence.py" empty.json >out 2>&1
[ $? -eq 2 ]
ok $? "what is no bundle: exit code 2"
python3 "$root/reports/check_evidence.py" >out 2>&1
[ $? -eq 2 ]
ok $? "nothing to check: exit code 2"
finish
