#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program that the specification does not forbid, and that Assay has no meaning for: every verb
# takes it, hands it to executors, and blames nobody.
. "$(dirname "$0")/../checks.sh"

# A worker that accepts whatever it is asked, and answers with zeros: four results of 4 hex digits.
cat >accepts.sh <<'END'
printf '%s\n' 'assay-worker 1' 'name accepts' 'version 1' 'data hex' 'mlir no' ready
while read -r verb id rest; do
  case $verb in
    compile) echo 'ok anything' ;;
    execute) echo "ok 0000000000000000" ;;
    release) ;;
    *) echo "failed no verb is called $verb" ;;
  esac
done
END
worker='proc:sh accepts.sh'
program='byteir.softmax axis=0 bf16[4] -> f16[4]'
line="$program : 3f803f803f803f80"
forbidden='byteir.softmax axis=1 bf16[4] -> bf16[4] : 3f803f803f803f80'

run 0 "show" show "$line"
like out "^is not modelled: Assay has no oracle for such a byteir.softmax" "show: in words"
like out "^  modelled:  only where .* (types)" "show: which constraint"
like out "call_target_name = .byteir.softmax." "show: the module is printed"
run 0 "show, forbidden" show "$forbidden"
like out "^is no byteir.softmax: it breaks axis" "show, forbidden: in words"
like out "^  forbidden: ByteIR Additional Ops, byteir.softmax, attrs: axis" "show, forbidden: the clause"

run 0 "replay" replay "$line" --executor "$worker" --executor model:sequential
like out "^$worker: no-oracle" "replay: who runs it is not blamed"
like out "^  reason:   is not modelled (types): Assay knows byteir.softmax only where" "replay: why"
like out "^model:sequential: refused" "replay: a model refuses"
run 1 "replay, forbidden" replay "$forbidden" --executor "$worker"
like out "diverges, invalid-accepted" "replay, forbidden: who runs it is blamed"
like out "breaks:   constraint axis (ByteIR Additional Ops, byteir.softmax, attrs: axis)" \
  "replay, forbidden: the clause"

echo "$line" | "$ASSAY" subject --executor "$worker" >results 2>err
ok $? "subject: exit code 0"
grep -q 'bf16\[4\] -> f16\[4\].*0000000000000000' results
ok $? "subject: the executor's answer"
"$ASSAY" judge <results >out 2>err
ok $? "judge: exit code 0"
like out "^no-oracle: is not modelled (types)" "judge: no oracle"

run 0 "run --program" run --program "$program" --executor "$worker" --draws 20 --db run.db
like out "no oracle for byteir.softmax bf16->f16 on $worker (20 cases): is not modelled (types)" \
  "run --program: counted, with the reason"
like out " 0 findings " "run --program: nothing is found"
# Other extensions that nobody forbids and some implementations have, with results of 8 bytes.
while IFS= read -r extension; do
  name=${extension%% *}
  run 0 "run $name" run --program "$extension" --executor "$worker" --draws 3
  like out "no oracle for $name .* (3 cases): is not modelled (types)" "$name: counted and shown"
  unlike out "diverges (" "$name: nobody is blamed"
done <<'END'
byteir.layer_norm epsilon=0x1p-10 axis=[1] f16[2,2] bf16[2] bf16[2] -> f16[2,2]
byteir.layer_norm epsilon=0x1p-10 axis=[1] bf16[2,2] f16[2] f16[2] -> bf16[2,2]
byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel i64[3] i64[1] -> i64[1]
byteir.softmax axis=0 f8E5M2[8] -> f8E5M2[8]
END

run 0 "query unjudged" query unjudged --db run.db
like out "byteir.softmax" "query: counted as unjudged"
run 0 "shrink" shrink "$line" --executor "$worker"
run 0 "gen --program" gen --program "$program" --cases 2
run 0 "ops --json" ops --json
[ "$(json out '(grep { $_->{id} eq "types" } @{(grep { $_->{name} eq "byteir.softmax" } @$d)[0]{constraints}})[0]{forbidden} ? 1 : 0')" = 0 ]
ok $? "ops --json: which constraints forbid nothing"

printf '%s\taccepted\n%s\taccepted\n' "$line" "$forbidden" | "$ASSAY" judge >out 2>err
[ "$(cut -d: -f1 out | tr '\n' ,)" = 'no-oracle,diverges (invalid-accepted),' ]
ok $? "judge: accepting a program is a divergence only if it is forbidden"

finish
