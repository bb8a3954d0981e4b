#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay quant import: modules where graphs are, a model exported by JAX with fake-quant ops in three spellings,
# errors at their places.  Skipped where jaxlib is not installed, but for the error that says so.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
modules=$root/tests/fixtures/mlir
models=$root/corpus/quant/models
jax=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python

XDG_DATA_HOME=$PWD/nothing run 3 "without jaxlib" quant import "$modules/seed_region.mlir"
like err "run .assay executors install xla" "without jaxlib: what to do"

"$ASSAY" quant import "$modules/seed_region.mlir" >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - modules # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi

run 0 "a module" quant import "$modules/seed_region.mlir"
grep -v '^#' "$modules/seed_region.graph" | cmp -s - out
ok $? "a module: the graph"
run 0 "into a file" quant import "$modules/seed_region.mlir" -o seed.graph
cmp -s seed.graph - <<END
$(grep -v '^#' "$modules/seed_region.graph")
END
ok $? "into a file: the graph"
run 0 "any verb" quant check "$modules/calls.mlir"
like out "^model: 2 regions of 2 ops" "any verb: what is in the graph"
"$ASSAY" quant check - <"$modules/calls.mlir" >out 2>err
like out "^model: 2 regions of 2 ops" "standard input: a module is told from a graph"
run 0 "what is not exactly so" quant import "$modules/patterns.mlir"
like err "patterns.mlir:61:14: division by 3 became multiplication by 0.333333343" "what is not exactly so: said"
printf 'func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  %%q = "tf.FakeQuantWithMinMaxArgs"(%%x) {min = -10.0 : f32, max = 53.75 : f32} : (tensor<2xf32>) -> tensor<2xf32>\n  %%y = stablehlo.negate %%q : tensor<2xf32>\n  return %%y : tensor<2xf32>\n}\n' >fake.mlir
run 0 "signed storage" quant import fake.mlir
like out "^input x f32.2. !quant.uniform<i8:f32, 0.25:-88>$" "signed storage: the constraint"
run 0 "unsigned storage" quant import fake.mlir --unsigned
like out "^input x f32.2. !quant.uniform<u8:f32, 0.25:40>$" "unsigned storage: the constraint"

# What is propagated comes back, and is propagated no further.
for graph in separable_block conflicts; do
  "$ASSAY" quant propagate "$root/corpus/quant/$graph.graph" --table tflite_int8 >quantized.graph 2>err
  "$ASSAY" quant propagate "$root/corpus/quant/$graph.graph" --table tflite_int8 --mlir >quantized.mlir 2>err
  run 0 "$graph and back" quant propagate quantized.mlir --table tflite_int8 --mlir
  cmp -s out quantized.mlir
  ok $? "$graph and back: the same module"
  "$ASSAY" quant import quantized.mlir 2>err | sort >back
  sort quantized.graph | cmp -s - back
  ok $? "$graph and back: the same lines"
done

# Models of a framework: all spellings of fake-quant ops are the same constraints.
for model in inverted_residual transformer_block; do
  "$jax" "$models/$model.py" litert tensorflow qdq 2>err
  ok $? "$model: exported"
  for kind in litert tensorflow qdq; do
    run 0 "$model, $kind" quant import $model.$kind.mlir
    sed -n 's/.*!quant/!quant/p' out | sort >$kind.specs
  done
  [ "$(wc -l <litert.specs)" -ge 8 ] && cmp -s litert.specs qdq.specs
  ok $? "$model: composites and pairs say the same"
done
like out "= byteir.softmax(" "the transformer's softmax is one op"
like out "= byteir.layer_norm(" "and so are its norms"
like out "= byteir.gelu(.*approximate=tanh" "and its gelu"


# From the framework to an executor.
run 0 "fused" quant fuse inverted_residual.litert.mlir --table tflite_int8 -o fused.graph
run 0 "and propagated" quant propagate fused.graph --table tflite_int8 --mlir
like err "^fully quantized: 4 regions, 0 refused, .* 0 rescales" "and propagated: fully quantized"
cp out fused.mlir
run 0 "and run, as a module" quant run fused.mlir --table tflite_int8 --executor model:sequential --inputs 1 --json
[ "$(json out 'scalar grep { $_->{steps}{diverges} + $_->{steps}{failed} == 0 and not grep { !($_->{observed} <= $_->{certified}) } values %{$_->{values}} } @{$d->{runs}}')" = 3 ]
ok $? "and run, as a module: three forms conform, within what is certified"

run 2 "a missing file" quant import nowhere.mlir
like err "cannot read nowhere.mlir" "a missing file: named"
printf 'module {\n  func.func' >cut.mlir
run 2 "a module cut off" quant check cut.mlir
like err "^assay: cut.mlir:2:12: " "a module cut off: where"
printf 'func.func @f(%%x: tensor<2xf32>) -> tensor<2xf32> {\n  %%y = stablehlo.cbrt %%x : tensor<2xf32>\n  return %%y : tensor<2xf32>\n}\n' >cbrt.mlir
run 2 "an op that graphs have not" quant propagate cbrt.mlir --table onednn
like err "^assay: cbrt.mlir:2:8: expected an op (.assay ops. lists them" "an op that graphs have not: where"
cp "$modules/seed_region.graph" graph.mlir
run 2 "a graph by another name" quant import graph.mlir
like err "^assay: graph.mlir:" "a graph by another name: where"
run 3 "an output that cannot be written" quant import "$modules/seed_region.mlir" -o nowhere/x.graph
finish
