#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay quant: check, propagate, explain, picture, export, run, fuzz, tables; bad input.
. "$(dirname "$0")/../checks.sh"
corpus=$(cd "$(dirname "$ASSAY")/.." && pwd)/corpus/quant
[ -d "$corpus" ] || { echo "1..0 # SKIP $corpus is not there"; exit 0; }
block=$corpus/separable_block.graph
conflicts=$corpus/conflicts.graph

run 0 "tables" quant tables
like out "^onednn$" "tables: one by name"
run 0 "a table" quant tables onednn
like out "^table onednn$" "a table: its text"
cp out mine.table

run 0 "check" quant check "$block"
like out "^separable_block: 6 regions of 16 ops" "check: what is in the graph"
run 0 "check against a target" quant check "$block" --table mine.table
like out "pointwise (conv_2d): row of line [0-9]* of table onednn" "check against a target: the rows"
printf 'graph g\ninput x f32[2]\nregion r nonsense\n  in x\n  out y f32[2]\n  op z = stablehlo.negate(x) f32[2] -> f32[2]\n  return z\nend\noutput y\n' >unknown.graph
run 1 "a kernel that the target lacks" quant check unknown.graph --table onednn
like out "refused: .*r.*nonsense" "a kernel that the target lacks: named"

run 0 "propagate" quant propagate "$conflicts" --table tflite_int8
like err "^fully quantized: 3 regions, 0 refused, .* 3 rescales" "propagate: the summary"
like out "region .* rescale$" "propagate: rescales stand in the graph"
cp out quantized.graph
run 0 "propagate what was propagated" quant propagate quantized.graph --table tflite_int8
cmp -s out quantized.graph
ok $? "propagate what was propagated: nothing changes"
run 0 "check what was propagated" quant check quantized.graph --table tflite_int8
like out "right.rescale (rescale): every target has it" "check what was propagated: rescales"
run 2 "an empty graph from standard input" quant check -
run 0 "16-bit floats" quant propagate "$block" --table "$corpus/bf16.table"
like err "^fully quantized: 6 regions, 0 refused" "16-bit floats: every kernel takes them"
like out "^  in image bf16$" "16-bit floats: what a port is stored as"
cp out narrow.graph
run 0 "16-bit floats again" quant propagate narrow.graph --table "$corpus/bf16.table"
cmp -s out narrow.graph
ok $? "16-bit floats again: nothing changes"
run 0 "16-bit floats, fixed" quant export "$block" --table "$corpus/bf16.table" --form fixed
like out "^image.bf16 = stablehlo.convert f32.* -> bf16" "16-bit floats, fixed: rounded once on the way in"
like out "^depthwise.products = .* bf16\[1,6,6,4\] bf16.* -> bf16" "16-bit floats, fixed: an op on them"
like out "^depthwise.shifted = stablehlo.add f32" "16-bit floats, fixed: the bias is added in f32"
run 0 "16-bit floats are run" quant run "$block" --table "$corpus/bf16.table" --contract wide --executor model:pairwise+acc=f32 --inputs 3
unlike out "outside what conforming runs give" "16-bit floats are run: within what is certified"
unlike out " inf " "16-bit floats are run: certified"
run 0 "16-bit floats, each step rounded" quant run "$block" --table "$corpus/bf16.table" --executor model:sequential --inputs 2
unlike out " inf " "16-bit floats, each step rounded: a softmax is certified"
cat >long.graph <<END
graph g
input x f32[2,1000] !quant.calibrated<f32<-4.0:4.0>>
region s softmax
  in x
  out y f32[2,1000]
  op z = byteir.softmax(x) axis=1 f32[2,1000] -> f32[2,1000]
  return z
end
output y
END
run 0 "what has no bound" quant run long.graph --table "$corpus/bf16.table" --form fixed --executor model:sequential --inputs 1
like out "^Not certified (infinite): under contract backend nothing bounds .* step y (byteir.softmax to bf16\[2,1000\])" \
  "what has no bound: the step is named"
sed 's/^\(input image f32[^ ]*\).*/\1 bf16/' "$block" >annotated.graph
run 0 "a value annotated with a 16-bit float" quant export annotated.graph --table onednn --form float
like out "^image.* = stablehlo.convert f32.* -> bf16" "a value annotated with a 16-bit float: stored so"
run 0 "calls" quant propagate "$corpus/two_calls.graph" --table onednn
like out "^call second layer.2(h) -> (y)$" "calls: a copy for each way to quantize"
run 0 "calls inlined" quant propagate "$corpus/two_calls.graph" --table onednn --inline
like out "^region second.product fully_connected$" "calls inlined: regions under names of their own"
unlike out "^call" "calls inlined: none is left"
run 0 "calls inlined and run" quant run "$corpus/two_calls.graph" --table onednn --inline --executor model:pairwise --inputs 2
for verb in fuse unfuse check; do
  run 0 "$verb inlines" quant $verb "$corpus/two_calls.graph" --table onednn --inline
done
like out "two_calls: 2 regions of" "calls inlined and checked: regions of their own"
run 0 "calls inlined and taken apart" quant unfuse "$corpus/two_calls.graph" --inline
unlike out "^call" "calls inlined and taken apart: none is left"
run 0 "calls inlined and taken back" quant revert "$corpus/two_calls.graph" --table onednn --inline --region second.product
like out "^region first.product fully_connected$" "calls inlined and taken back: the other call stays quantized"
unlike out "^region second.product" "calls inlined and taken back: the one that is named is ops"
run 0 "MLIR" quant propagate "$conflicts" --table tflite_int8 --mlir
like out "quant.region" "MLIR: region ops"

run 0 "explain" quant explain "$conflicts" --table tflite_int8
like out "^conflict 1: value right into join input" "explain: what conflicts"
like out "^  the port has .*rule same_scale" "explain: the rule"
like out "^conflict 3" "explain: all three"
run 0 "explain one region" quant explain "$conflicts" normalize --table tflite_int8
like out "0.00390625:-128>, by rule fixed_scale" "explain one region: fixed_scale"
unlike out "region join" "explain one region: no other"
run 2 "explain a region that is not there" quant explain "$conflicts" nobody --table tflite_int8
like err "no region 'nobody'" "explain a region that is not there: named"

run 0 "picture before" quant picture "$conflicts" --table tflite_int8 --picture before.dot
like before.dot "^digraph" "picture before: Graphviz's language"
run 0 "picture after" quant explain "$conflicts" --table tflite_int8 --picture after.dot
like after.dot 'label="rescale"' "picture after: rescales"
like after.dot "rule fixed_scale" "picture after: who set a port"

run 0 "export" quant export "$block" --table onednn --form fixed
like out "stablehlo.convolution .*i8.*-> !quant.uniform<i32" "export: accumulators"
run 0 "export to primitives" quant export "$block" --table onednn --form integer
like out "stablehlo.shift_right_arithmetic i64" "export to primitives: shifts"
run 0 "export as MLIR" quant export "$block" --table onednn --form float --mlir
like out "stablehlo.uniform_dequantize" "export as MLIR: ops"
run 0 "export as cases" quant export "$block" --table onednn --form integer --cases
grep -v '^#' out >cases
[ "$(wc -l <cases)" -gt 20 ]
ok $? "export as cases: lines"
run 0 "the cases run" replay cases --executor model:pairwise

run 0 "run" quant run "$block" --table tflite_int8 --executor model:sequential --inputs 2
like out "^model:sequential *fixed *[1-9][0-9]* *0 *0 *0 *0 *0 *0$" "run: all steps conform"
like out "^model:sequential *float *probabilities *0\.0" "run: errors"
run 0 "run, JSON" quant run "$block" --table onednn --executor model:sequential --inputs 1 --json
parses_as_json out "run, JSON: parses"
[ "$(json out 'scalar grep { my $v = $_->{values}{probabilities}; $v->{observed} <= $v->{certified} && $v->{certified} < 0.1 } @{$d->{runs}}')" = 3 ]
ok $? "run, JSON: observed is within certified"
run 1 "a planted fault" quant run "$block" --table tflite_int8 --form fixed --inputs 2 --values \
  --executor canary:lhs_zero_point_forgotten --db q.db
like out "quant\..* tflite_int8/fixed .*diverges" "a planted fault: found under the kernel's name"
like out "outside what conforming runs give" "a planted fault: seen in the values"
run 0 "the database" query findings --db q.db --format csv
like out "quant\.[a-z_0-9]*,tflite_int8/fixed" "the database: op and algorithm"
run 1 "retest" retest --db q.db --executor canary:lhs_zero_point_forgotten
like out "still" "retest: it is there still"

run 0 "regions as one" quant run "$block" --table onednn --executor model:sequential+formula=either --inputs 2 \
  --regions whole
like out "^regions as one program by verdict:" "regions as one: a table of theirs"
like out "^model:sequential+formula=either *integer *12 *0 *0 *0 *0 *0$" "regions as one: all conform"
unlike out "outside what" "regions as one: within what is certified"
run 0 "regions both ways" quant run "$block" --table onednn --executor model:sequential --inputs 2 --regions both
like out "^model:sequential *fixed *10 *0 *0 *0 *0 *0 *10 *0: *0 *0 *0$" "regions both ways: the same bits"
run 0 "regions both ways, JSON" quant run "$block" --table onednn --executor model:sequential --inputs 1 \
  --regions both --json
parses_as_json out "regions both ways, JSON: parses"
[ "$(json out 'join " ", map { "$_->{regions}{whole}{conforms}/$_->{regions}{same}" } @{$d->{runs}}')" = "5/5 6/6 6/6" ]
ok $? "regions both ways, JSON: counts"
run 1 "a fault of fusing" quant run "$block" --table onednn --form float --inputs 2 --regions both \
  --executor canary:module_clamp_before_bias --db w.db
like out "quant\.conv_2d onednn/float/whole .*diverges" "a fault of fusing: found under the kernel's name"
like out "assay replay 'module steps={" "a fault of fusing: with what reproduces it"
like out "^canary:[a-z_]* *float *6 *6 *0 .* 6 *6: *6 *0 *0$" "a fault of fusing: the whole region is outside"
run 0 "regions in the database" query findings --db w.db --format csv
like out "quant\.[a-z_0-9]*,onednn/float/whole" "regions in the database: op and algorithm"
run 1 "regions, again" retest --db w.db --executor canary:module_clamp_before_bias
like out "still" "regions, again: it is there still"
run 0 "regions, mended" retest --db w.db --executor model:sequential
run 0 "fuzz regions" quant fuzz --graphs 20 --executor model:random --inputs 1 --regions whole
like out "regions as one:" "fuzz regions: counted"
run 0 "fuzz regions, JSON" quant fuzz --graphs 20 --executor model:random --inputs 1 --regions both --json
[ "$(json out 'scalar grep { my $r = $_->{regions}; $r->{whole}{conforms} > 0 && $r->{same} + $r->{differ} > 0 } @{$d->{executors}}')" = 3 ]
ok $? "fuzz regions, JSON: counted"
run 2 "a spelling of regions" quant run "$block" --table onednn --executor model:sequential --regions hole
like err -- "--regions is steps, whole or both, not 'hole'" "a spelling of regions: which there are"

run 0 "fuzz" quant fuzz --graphs 60
like out "^idempotence *60 *0 *0 " "fuzz: a property and its counts"
run 0 "fuzz a model" quant fuzz --graphs 20 --executor model:lanes8 --inputs 1
like out "^model:lanes8 *integer *20 *0 " "fuzz a model: all graphs run"
run 1 "fuzz a canary" quant fuzz --graphs 40 --executor canary:result_scale_forgotten --inputs 1 --json
sed -n '/^{/,$p' out >document
parses_as_json document "fuzz a canary: JSON"
[ "$(json document '$d->{executors}[0]{beyond}')" -ge 1 ]
ok $? "fuzz a canary: beyond what is certified"

# Steps that it refuses are the model's, which nobody judges: no reason to find Assay wrong.
"$ASSAY" quant fuzz --graphs 100 --executor openblas --inputs 1 --contract spec >out 2>err
unlike err "Assay is wrong" "fuzz what refuses: what the model put in is not audited"
like out "^openblas *fixed *100 *0 .* 0 |" "fuzz what refuses: all graphs run, none beyond"

plain=$corpus/plain_block.graph
run 0 "check a plain model" quant check "$plain" --table onednn
like out "^plain_block: 0 regions of 0 ops, 16 ops in no region" "check a plain model: what is in it"
like out "sum (stablehlo.add): an op in no region" "check a plain model: ops"
run 0 "fuse" quant fuse "$plain" --table onednn
like err "^fused: 6 regions of 16 ops, 0 ops left in no region; 0 regions were there$" "fuse: the summary"
like out "^region features depthwise_conv_2d$" "fuse: regions"
cp out fused.graph
run 0 "fuse what was fused" quant fuse fused.graph --table onednn
cmp -s out fused.graph
ok $? "fuse what was fused: nothing changes"
run 0 "unfuse" quant unfuse fused.graph
cp out apart.graph
run 0 "the plain model, fused from another order" quant fuse apart.graph --table onednn --out again.graph
run 0 "both apart" quant unfuse again.graph
cmp -s out apart.graph
ok $? "both apart: the same"
run 0 "explain fusing" quant fuse "$plain" --table onnxruntime --explain
like out "^region features (relu): pattern of line [0-9]* of table onnxruntime" "explain fusing: patterns"
like out "zeros (stablehlo.broadcast_in_dim) is a number that is widened" "explain fusing: ops"
unlike out "^graph" "explain fusing: not the graph"
printf 'graph g\ninput x f32[2]\nop n = stablehlo.negate(x) f32[2] -> f32[2]\noutput n\n' >left.graph
run 0 "an op that is left" quant fuse left.graph --table onednn --explain --out left.out
like out "op n (stablehlo.negate) is left: no pattern of table onednn ends in stablehlo.negate" "an op that is left: why"
like left.out "^op n = stablehlo.negate" "an op that is left: the graph"
run 0 "a plain model runs" quant run "$plain" --table onednn --executor model:sequential --inputs 1
like out "^model:sequential *fixed *probabilities *[0-9.]*e-0[0-9]" "a plain model runs: in high precision"
run 0 "a fused model runs" quant run fused.graph --table onednn --executor model:sequential --inputs 1
like out "^model:sequential *fixed *probabilities *0\.0" "a fused model runs: quantized"
cat >mixed.graph <<'END'
graph mixed
input x f32[4] !quant.calibrated<f32<-1:1>>
input j i32[2]
input flag i1[2]
input z complex<f32>[2]
constant w complex<f32>[2] = [1.0, 2.0, 3.0, 4.0]
op top, places = byteir.top_k(x) k=2 axis=[0] sorted=true f32[4] -> f32[2] i32[2]
op sum = stablehlo.add(places, j) i32[2] i32[2] -> i32[2]
op zz = stablehlo.add(z, w) complex<f32>[2] complex<f32>[2] -> complex<f32>[2]
op both = stablehlo.maximum(flag, flag) i1[2] i1[2] -> i1[2]
output sum
output both
output zz
output top
END
run 0 "values of all kinds run" quant run mixed.graph --table onednn --executor model:sequential --inputs 2
like out "^model:sequential *fixed *8 *0 *0 *0 *0 *0 *0$" "values of all kinds run: all conform"
like out "^model:sequential *fixed *both *0 *0$" "values of all kinds run: booleans are exact"
run 0 "fused for small kernels" quant fuse "$plain" --table onnxruntime --out small.graph
run 0 "and quantized" quant propagate small.graph --table onnxruntime
cp out small.graph
run 0 "regions are joined" quant fuse small.graph --table onednn --join --out large.graph
like err "^joined: 1 regions of 2$" "regions are joined: the summary"
run 0 "joining explained" quant fuse small.graph --table onednn --join --explain
like out "^region features (depthwise_conv_2d): joined of .* (depthwise_conv_2d) features (relu)$" "joining explained: its parts"
like out "^  shifted is inside" "joining explained: what no kernel stores any more"
run 0 "what was joined runs" quant run large.graph --table onednn --executor model:sequential --inputs 1
run 0 "joining undone" quant unfuse large.graph --out apart.graph
run 0 "joining undone, fused" quant fuse apart.graph --table onnxruntime --out fused.again
run 0 "joining undone, quantized" quant propagate fused.again --table onnxruntime
grep -v '^constant' small.graph >before.text
grep -v '^constant' out | cmp -s - before.text
ok $? "joining undone: all regions and parameters are back"
run 0 "values of all kinds are fused" quant fuse mixed.graph --table onednn --explain
like out "op sum (stablehlo.add) is left: .*places stays in high precision" "values of all kinds are fused: integers are left"
run 0 "MLIR of a plain model" quant unfuse fused.graph --mlir
like out "%v.sum = \"stablehlo.add\"(%v.image, %v.mixed)" "MLIR of a plain model: ops"

run 0 "quantize the block" quant propagate "$block" --table onednn
cp out block.graph
run 0 "revert" quant revert block.graph --region pointwise,residual
like out "^region features.dcast rescale$" "revert: dequantized before"
like out "^region mixed.qcast rescale$" "revert: quantized behind"
like out "^op mixed.float = stablehlo.add" "revert: ops in between"
unlike out "^region pointwise " "revert: the region is gone"
cp out reverted.graph
run 0 "revert of an annotated model" quant revert "$block" --table onednn --region residual,pointwise
cmp -s out reverted.graph
ok $? "revert of an annotated model: the same"
run 0 "propagate what was reverted" quant propagate reverted.graph --table onednn
cmp -s out reverted.graph
ok $? "propagate what was reverted: nothing changes"
like err "2 rescales\|0 rescales" "propagate what was reverted: no new rescales"
run 0 "run what was reverted" quant run reverted.graph --table onednn --executor model:sequential --inputs 2
like out "^model:sequential *integer *[1-9][0-9]* *0 *0 *0 *0 *0 *0$" "run what was reverted: all conforms"
run 0 "revert a kernel" quant revert block.graph --kernel conv_2d
like out "^region mixed.qcast rescale$" "revert a kernel: its region"
run 0 "export what was reverted" quant export reverted.graph --table onednn --form fixed
like out "stablehlo.uniform_dequantize" "export what was reverted: casts"
run 2 "revert nothing" quant revert block.graph
like err "region NAME\[,NAME\] or --kernel KERNEL" "revert nothing: what to write"
run 2 "revert what is not there" quant revert block.graph --region pointwis
like err "no region 'pointwis' (--region); did you mean 'pointwise'" "revert what is not there: suggestion"
run 2 "revert a kernel that is not there" quant revert block.graph --kernel conv_3d
like err "no region of kernel 'conv_3d' (--kernel); did you mean 'conv_2d'" "revert a kernel that is not there: suggestion"
run 2 "revert what is not quantized" quant revert "$block" --region pointwise
like err "region pointwise (conv_2d) is not quantized" "revert what is not quantized: said"
run 2 "fuse without a table" quant fuse "$plain"
like err "table is missing" "fuse without a table: said"
printf 'table t\ndefault i8\nkernel relu\n  in x i8\n  out y i8\nend\n' >none.table
run 2 "fuse by a table without patterns" quant fuse "$plain" --table none.table
like err "table t has no patterns" "fuse by a table without patterns: said"
printf 'pattern relu\n  y = stablehlo.maximum(z, 0)\nend\n' | cat none.table - >bad.table
run 2 "a bad pattern" quant fuse "$plain" --table bad.table
like err "bad.table: line 8, column 25: no line above and no input of kernel relu is called z" "a bad pattern: file, line and column"
printf 'graph g\ninput x f32[2]\nop y = stablehlo.add(x, z) f32[2] f32[2] -> f32[2]\noutput y\n' >bad.op
run 2 "a bad op" quant fuse bad.op --table onednn
like err "bad.op: line 3, column 25: there is no value called z" "a bad op: file, line and column"
run 3 "a folder that is not there" quant fuse "$plain" --table onednn --out nowhere/fused.graph
like err "nowhere" "a folder that is not there: named"

run 2 "no verb" quant
like err "assay quant propagate GRAPH" "no verb: what there is"
run 2 "no graph" quant propagate
like err "write .assay quant propagate GRAPH" "no graph: usage"
run 2 "no table" quant propagate "$block"
like err "table is missing; write a path or one of onednn" "no table: which there are"
run 2 "an unknown table" quant propagate "$block" --table onedn
like err "did you mean 'onednn'" "an unknown table: suggestion"
run 2 "an unknown form" quant export "$block" --table onednn --form fix
like err "no form 'fix' (--form); write fixed, float or integer" "an unknown form: what there is"
run 2 "a missing file" quant check nowhere.graph
like err "cannot read nowhere.graph" "a missing file: named"
printf 'graph g\ninput x f33[2]\n' >bad.graph
run 2 "a bad graph" quant check bad.graph
like err "bad.graph: .*line 2" "a bad graph: path and line"
run 2 "a bad table" quant check "$block" --table bad.graph
like err "bad.graph: .*line 1" "a bad table: path and line"
mkdir folder
run 2 "a folder" quant check folder
like err "cannot read folder: Is a directory" "a folder: named"
run 2 "two spellings of an export" quant export "$block" --table onednn --mlir --cases
like err "write --mlir or --cases, not both" "two spellings of an export: said"
run 2 "no inputs" quant run "$block" --table onednn --executor model:sequential --inputs 0
like err "bad value 0 (--inputs); write a positive number" "no inputs: said"
run 2 "no executor" quant run "$block" --table onednn
like err "executor" "no executor: said"
finish
