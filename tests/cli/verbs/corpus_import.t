#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay corpus import: ONNX's node tests as cases with the results that they expect, and folders of modules of
# one op.  Each part is skipped, with the reason, where its packages are not installed.
. "$(dirname "$0")/../checks.sh"

# ---- ONNX ----------------------------------------------------------------------------------------------
"$ASSAY" corpus import onnx add matmul softmax conv reducesum topk --out taken.cases >out 2>err
status=$?
if grep -q 'is not installed' err; then
  [ "$status" -eq 3 ]
  ok $? "onnx: what to install is said"
  echo "ok $((count = count + 1)) # SKIP the package onnx is not installed: assay executors install onnxruntime"
else
  ok "$status" "onnx: exit code 0"
  like out '^Add  *[0-9]*  *\([1-9][0-9]*\)  *\1  *\1  *0 ' "onnx: all that is taken of Add is judged, and conforms"
  like out '^MatMul  *[0-9]*  *\([1-9][0-9]*\)  *\1  *\1  *0 ' "onnx: of MatMul"
  like out '^Conv  *[0-9]*  *\([1-9][0-9]*\)  *\1  *\1  *0 ' "onnx: of Conv"
  like out '^a vector by several matrices.* 1  MatMul$' "onnx: why a test is not taken"
  like out '^[0-9]* tests, [0-9]* taken, [0-9]* judged$' "onnx: the sum"
  cp out first
  "$ASSAY" corpus import onnx add matmul softmax conv reducesum topk >out 2>err
  cmp -s out first
  ok $? "onnx: the same table again"
  grep -v '^#' taken.cases | "$ASSAY" judge >out 2>err
  ok $? "onnx: the cases that are written are judged as well"
  [ "$(grep -c conforms out)" -eq "$(sed -n 's/.* \([0-9]*\) judged$/\1/p' first)" ]
  ok $? "onnx: as many"
  run 2 "onnx: a test that is none" corpus import onnx adddd
  like err 'onnx has no node tests called adddd; write some of: ' "onnx: a test that is none: said so"
  run 2 "onnx: an executor" corpus import onnx add --executor model:pairwise
  run 3 "onnx: a file that cannot be written" corpus import onnx add --out /absent/x.cases

  # A fault in what is made of a node is seen.
  mkdir bad
  cp "$ASSAY" bad/assay
  cp -rL "$(dirname "$ASSAY")/workers" bad/workers
  sed -i 's/axis={_axis(node, -1, node.inputs\[0\].ndim)}/axis=0/' bad/workers/onnx_import/node_ops.py
  bad/assay corpus import onnx softmax >out 2>err
  [ $? -eq 1 ]
  ok $? "onnx: rows along another dimension: exit code 1"
  like out '^test_softmax.*: diverges' "onnx: rows along another dimension: which tests diverge"
fi

# ---- A folder of modules ---------------------------------------------------------------------------------
mkdir -p modules/inner empty
cat >modules/erf.mlir <<'END'
%0 = "mhlo.custom_call"(%arg0) {call_target_name = "byteir.erf", has_side_effect = false} : (tensor<3x64xf32>) -> tensor<3x64xf32>
END
cat >modules/inner/sum.mlir <<'END'
func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.reduce"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%1) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
END
echo 'no module at all' >modules/broken.mlir
echo 'nothing of ours' >modules/README
"$ASSAY" corpus import modules --executor model:pairwise --out modules.cases >out 2>err
status=$?
if grep -q 'is not installed' err; then
  echo "ok $((count = count + 1)) # SKIP jaxlib is not installed: assay executors install xla"
else
  ok "$status" "modules: exit code 0"
  like out '^byteir.erf  *1  *1  *1  *1  *0 ' "modules: one is taken, run and judged"
  like out '^stablehlo.reduce  *1  *1  *1  *1  *0 ' "modules: one of a folder below"
  like out '^(not read)  *1  *0 ' "modules: one that cannot be read is counted"
  like out '^3 tests, 2 taken, 2 judged$' "modules: the sum"
  run 1 "modules: a canary" corpus import modules --executor canary:drop_last_term
  like out '^modules/inner/sum.mlir: diverges' "modules: a canary: which file diverges"
  "$ASSAY" show --mlir --with-data 'stablehlo.negate f32[2] -> f32[2] : 3f80000040000000' >modules/negate.mlir 2>err
  run 0 "modules: without an executor" corpus import modules
  like out '^stablehlo.negate  *1  *1  *1  *1  *0 ' "modules: without an executor what checks expect is judged"
  like out '^4 tests, 3 taken, 1 judged$' "modules: without an executor nothing else is"
  sed -i 's/0xC0000000\|-2.0*e+00\|-2.0/3.0/' modules/negate.mlir
  cat modules/negate.mlir >expected.mlir
  run 1 "modules: a check that is wrong" corpus import modules
  like out '^modules/negate.mlir: diverges' "modules: a check that is wrong: which file"
fi
run 2 "modules: an empty folder" corpus import empty
like err 'no file of MLIR is in this folder' "modules: an empty folder: said so"
run 2 "modules: no folder" corpus import absent
run 2 "modules: nothing to import" corpus import
run 2 "modules: options of other forms" corpus --list . --out x.cases
finish
