#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay vet --constraints: a TAP point for each constraint, with its clause.
. "$(dirname "$0")/../checks.sh"

run 0 "a model" vet --constraints --executor model:sequential --op stablehlo.add --op stablehlo.select_and_scatter
cp out model.tap
like model.tap "^ok [0-9]* - model:sequential stablehlo.add C1: StableHLO specification, add, C1$" \
  "a model: a point with the specification's clause"
like model.tap '^  drawn: "20"$' "a model: twenty programs"
grep '^  drawn:' model.tap | grep -qv '"20"'
[ $? -ne 0 ]
ok $? "a model: never fewer"
like model.tap '^  called_invalid: "20"$' "a model: calls them invalid"
like model.tap "select_and_scatter C9: .* # SKIP no case line can break it" "a model: what no line can break"
like model.tap "select_and_scatter body .*# SKIP no document forbids" "a model: what is not modelled"
like model.tap "^# never drawn: .*stablehlo.select_and_scatter case-H" "a model: what no draw reaches is named"
prove -e cat model.tap >out 2>err
ok $? "a model: prove passes"
"$ASSAY" vet --constraints --executor model:sequential --op stablehlo.add --op stablehlo.select_and_scatter | cmp -s - model.tap
ok $? "the same seed: the same report"

# Models hold what all contracts do, and take what one document alone forbids.
run 1 "a document's rules" vet --constraints --executor model:sequential --op stablehlo.reduce --contract reduce_types=rfc
like out '^not ok [0-9]* - .* baseline: RFC "StableHLO quantization for reduction ops", baseline_element_type' \
  "a document's rules: its clause"

dso=$(dirname "$ASSAY")/tests/dso
if [ -e "$dso/validates.so" ]; then
  # It takes one broken program in fifty: with this seed one of C4.
  run 1 "who says that it validates, and does not" vet --constraints --seed 5 --executor "dso:$dso/validates.so" --op stablehlo.reduce
  cp out bad.tap
  like bad.tap "^not ok [0-9]* - dso:.*validates.so stablehlo.reduce C4: StableHLO specification, reduce, C4$" \
    "who does not validate: a failing point"
  repro=$(sed -n 's/^  repro: "\(assay replay .*\)"$/\1/p' bad.tap | head -n 1)
  eval "$(printf '%s\n' "$repro" | sed 's/\\\\/\\/g; s/\\"/"/g; s/^assay/"$ASSAY"/')" >out 2>err
  [ $? -eq 1 ]
  ok $? "who does not validate: its line shows it again"
  like out "invalid-accepted" "who does not validate: as what it is"

  run 0 "who does not say that it validates" vet --constraints --executor "dso:$dso/good.so" --op stablehlo.reduce
  like out "^ok 1 - .* # SKIP the executor does not declare that it validates; --invalid tests it nevertheless" \
    "an executor that does not declare it is not run, and the reason is given"
  unlike out '^  drawn:' "who does not say so: nothing is drawn"
  run 1 "--invalid" vet --constraints --seed 5 --invalid --executor "dso:$dso/good.so" --op stablehlo.reduce
  like out "^not ok .*good.so stablehlo.reduce" "--invalid: run nevertheless"
fi
# A plugin of ours that declares that it validates.
if [ -e "$(dirname "$ASSAY")/plugins/onednn_plugin.so" ]; then
  run 0 "our own plugin" vet --constraints --executor onednn --op stablehlo.uniform_quantize --op stablehlo.uniform_dequantize
  like out '^ok .*uniform_quantize types:' "our own plugin: types that are not quantized"
fi
run 2 "other limits" vet --constraints --executor model:sequential --cases 5
like err "leave out --cases" "other limits: what to do"
finish
