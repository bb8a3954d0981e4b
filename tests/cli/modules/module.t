#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay module: the ops of a whole module, counted and weighed by hand; the same of text, bytecode and artifacts; its
# programs in a file, and run, vet and campaign on these; 10,000 ops in time.
. "$(dirname "$0")/../checks.sh"

cat >model.mlir <<'END'
module @model {
  func.func private @layer(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = stablehlo.cbrt %0 : tensor<4x8xf32>
    return %1 : tensor<4x8xf32>
  }
  func.func private @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.exponential %x : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
  func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %which: tensor<i32>) -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = call @layer(%x, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %1 = call @layer(%0, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.while(%inside = %1) : tensor<4x8xf32> cond {
      %true = stablehlo.constant dense<true> : tensor<i1>
      %no = stablehlo.not %true : tensor<i1>
      stablehlo.return %no : tensor<i1>
    } do {
      %3 = func.call @layer(%inside, %w) : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %3 : tensor<4x8xf32>
    }
    %4 = "stablehlo.case"(%which) ({
      %5 = stablehlo.add %2, %1 : tensor<4x8xf32>
      stablehlo.return %5 : tensor<4x8xf32>
    }, {
      %6 = stablehlo.add %1, %2 : tensor<4x8xf32>
      %7 = stablehlo.multiply %6, %6 : tensor<4x8xf32>
      stablehlo.return %7 : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    %8 = stablehlo.composite "byteir.softmax" %4 {composite_attributes = {axis = 1 : i64}, decomposition = @softmax} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %9 = stablehlo.reduce_precision %8, format = e5m2 : tensor<4x8xf32>
    %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %10 : tensor<4xf32>
  }
}
END
"$ASSAY" module model.mlir --harvest model.programs >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - whole modules # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi

# ---- Counted and weighed by hand ------------------------------------------------------------------

# Work: 3 dots of 2 x 32 x 8 = 1536; 3 cbrt, 2 adds, a product, a softmax, a rounding and a reduction of 32 each.
like out "^model.mlir: 13 ops, 8 distinct" "ops are counted through calls, loops and cases"
like out "^with an oracle: 9 ops (69.2 %), which do 92.98 % of 1824 arithmetic operations" "the share of work"
like out "^in loops: 3 ops," "what stands in a loop"
like out "^ *3 *84.21  stablehlo.dot_general batch=..x.. contract=.1.x.0. f32.4,8. f32.8,8. -> f32.4,8." "a dot, thrice"
like out "^ *2 *3.51  stablehlo.add f32.4,8. f32.4,8. -> f32.4,8." "an op of two cases"
like out "^ *1 *1.75  byteir.softmax axis=1 f32.4,8. -> f32.4,8." "a composite of ByteIR is no call"
like out "^ *1 *1.75  stablehlo.reduce body=add dims=.1. f32.4,8. f32.. -> f32.4." "a body is a part of its op"
like out "^ *3 *5.26  stablehlo.cbrt (tensor<4x8xf32>) -> (tensor<4x8xf32>)" "an op without an oracle"
like out "^ *4:10: cases have no such op" "an op without an oracle: where, why"
like out "^ *1 *1.75  stablehlo.reduce_precision {exponent_bits = 5 : i32, .*} (tensor" "an op without an oracle: its attributes"
like out "^harvested: 6 programs, for .assay run --programs model.programs." "harvested"
unlike out "exponential" "what a composite stands for is not looked at"
[ "$(grep -v '^#' model.programs)" = "stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4,8] f32[8,8] -> f32[4,8]
stablehlo.add f32[4,8] f32[4,8] -> f32[4,8]
byteir.softmax axis=1 f32[4,8] -> f32[4,8]
stablehlo.multiply f32[4,8] f32[4,8] -> f32[4,8]
stablehlo.reduce body=add dims=[1] f32[4,8] f32[] -> f32[4]
stablehlo.not i1[] -> i1[]" ]
ok $? "the programs are in the file, those with the most work first"
like model.programs "^# 3 times, first at 3:10" "the file says how often, and where"

run 0 "JSON" module --json model.mlir
parses_as_json out "JSON: it parses"
# shellcheck disable=SC2016
[ "$(json out '"$d->{ops} $d->{distinct} $d->{with_oracle} $d->{work} $d->{work_with_oracle}"')" = "13 8 9 1824 1696" ]
ok $? "JSON: the sums"
# shellcheck disable=SC2016
[ "$(json out 'join " ", map { "$_->{op}=$_->{count}/$_->{in_loops}" } @{$d->{programs}}[0..1]')" = \
  "stablehlo.dot_general=3/1 stablehlo.cbrt=3/1" ]
ok $? "JSON: how often, and how often in loops"

# ---- Quantized values stand for floats, and products of integers are work --------------------------

cat >quantized.mlir <<'END'
!q = tensor<4x8x!quant.uniform<i8:f32, 0.5>>
!w = tensor<8x16x!quant.uniform<i8:f32, 0.25>>
!p = tensor<4x16x!quant.uniform<i32:f32, 0.125>>
func.func @main(%x: !q, %w: !w, %i: tensor<4x8xi8>, %k: tensor<8x16xi8>) -> (!p, tensor<4x16xi32>) {
  %0 = "stablehlo.dot_general"(%x, %w) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (!q, !w) -> !p
  %1 = stablehlo.add %0, %0 : !p
  %2 = "stablehlo.dot_general"(%i, %k) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x8xi8>, tensor<8x16xi8>) -> tensor<4x16xi32>
  %3 = stablehlo.add %2, %2 : tensor<4x16xi32>
  return %1, %3 : !p, tensor<4x16xi32>
}
END
# Two dots of 2 x 64 x 8, and an addition of 64; that of integers is none.
run 0 "quantized values and integers" module quantized.mlir
like out "which do 100.00 % of 2112 arithmetic operations" "quantized values and integers: their work"
like out "^ *1 *48.48  stablehlo.dot_general .* !quant" "a quantized dot"
like out "^ *1 *48.48  stablehlo.dot_general .* i8.4,8. i8.8,16. -> i32" "a dot of integers"
like out "^ *1 *3.03  stablehlo.add !quant" "a quantized addition"
like out "^ *1 *0.00  stablehlo.add i32" "an addition of integers"

# ---- What nobody has room for, and what is no number ------------------------------------------------

huge='tensor<4294967296x4294967296xf32>'
cat >huge.mlir <<END
func.func @main(%x: $huge) -> $huge {
  %0 = stablehlo.add %x, %x : $huge
  return %0 : $huge
}
END
run 0 "sizes beyond 64 bits" module huge.mlir
like out "of 1.845e+19 arithmetic operations" "sizes beyond 64 bits: their work"
cat >nan.mlir <<'END'
func.func @main(%x: tensor<2x3xf32>, %g: tensor<3xf32>) -> tensor<2x3xf32> {
  %0:3 = "stablehlo.batch_norm_training"(%x, %g, %g) {epsilon = 0x7FC00000 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0 : tensor<2x3xf32>
}
END
run 0 "an epsilon that is NaN" module nan.mlir
like out "no attribute that is nan" "an epsilon that is NaN: why it is no program"

# ---- Other forms ----------------------------------------------------------------------------------

cat >forms.py <<'END_OF_PYTHON'
import io

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context = ir.Context()
context.append_dialect_registry(registry)
context.load_all_available_dialects()
stablehlo.register_dialect(context)
with context:
    module = ir.Module.parse(open("model.mlir").read())
    open("generic.mlir", "w").write(module.operation.get_asm(print_generic_op_form=True))
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    open("bytecode", "wb").write(file.getvalue())
    open("artifact", "wb").write(stablehlo.serialize_portable_artifact(module, "1.0.0"))
END_OF_PYTHON
python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
"$python" forms.py >out 2>err
ok $? "the module is written in other forms"
for file in generic.mlir bytecode artifact; do
  run 0 "$file" module "$file" --harvest other.programs
  grep -v '^#' model.programs >wanted
  grep -v '^#' other.programs | cmp -s - wanted
  ok $? "$file: the same programs"
done

# ---- Its programs in place of drawn ones ----------------------------------------------------------

run 0 "run" run --programs model.programs --executor model:pairwise --cases 200
for op in stablehlo.dot_general stablehlo.add byteir.softmax stablehlo.multiply stablehlo.reduce; do
  like out "^model:pairwise $op\$" "run: $op"
done
like out "^judged: model:pairwise 200 of 200" "run: all of it"
run 1 "run, a canary" run --programs model.programs --executor canary:drop_last_term --cases 200
like out "assay replay 'stablehlo.dot_general batch=..x.. contract=.1.x.0. f32.4,8. f32.8,8. -> f32.4,8. : " "run, a canary: found on the model's shapes"
run 0 "vet" vet --programs model.programs --executor model:pairwise --cases 200
like out "^ok .* - model:pairwise byteir.softmax" "vet: a point for each op"
run 1 "campaign" campaign --programs model.programs --executor canary:drop_last_term --out campaign --time 2s --jobs 1 --seed 3
run 0 "campaign: what was found" query --sql "SELECT shortest_case_line FROM finding" --db campaign --format csv
like out "f32.4,8. f32.8,8. -> f32.4,8. : " "campaign: found on the model's shapes"
run 2 "campaign, ops too" campaign --programs model.programs --op stablehlo.add --executor model:pairwise --out other
like err "leave out --op or --programs" "campaign, ops too: what to leave out"

echo 'stablehlo.add f32[2] f32[2] -> f32' >bad.programs
run 2 "a bad line" run --programs bad.programs --executor model:pairwise
like err "^assay: bad.programs:1: column 3[0-9]: expected" "a bad line: where"
run 2 "a bad line in a campaign" campaign --programs bad.programs --executor model:pairwise --out other
[ ! -e other ]
ok $? "a bad line in a campaign: nothing is begun"
echo '# nothing' >bad.programs
run 2 "no line" vet --programs bad.programs --executor model:pairwise
like err "bad.programs has no program" "no line: said"
run 2 "no file" run --programs nowhere --executor model:pairwise
run 2 "constraints of programs" vet --constraints --programs model.programs --executor model:pairwise

# ---- Sizes ----------------------------------------------------------------------------------------

sed 's/4x8x/?x8x/g; /slice/d; s/%9 init/%8 init/; s/4x6xf32/?x8xf32/; s/tensor<4xf32>/tensor<?xf32>/g' model.mlir >unknown.mlir
run 0 "unknown sizes" module unknown.mlir --size 3
like out "byteir.softmax axis=1 f32.?3,8. -> f32.?3,8." "unknown sizes: at the size that is given"

{
  echo 'func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {'
  awk 'BEGIN { for (i = 1; i <= 10000; i++) print "  %" i " = stablehlo." (i % 3 ? "add" : "maximum") " %" i - 1 ", %" int(i / 2) " : tensor<8xf32>" }'
  echo '  return %10000 : tensor<8xf32>'
  echo '}'
} >large.mlir
run 0 "10,000 ops" module large.mlir
like out "^large.mlir: 10000 ops, 2 distinct" "10,000 ops: all counted"
begun=$(date +%s)
run 0 "10,000 ops, timed" module large.mlir
[ $(($(date +%s) - begun)) -lt 10 ]
ok $? "10,000 ops: in less than 10 s"

# ---- Files that are none --------------------------------------------------------------------------

echo 'func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> { return %1 : tensor<8xf32> }' >broken.mlir
run 2 "a broken module" module broken.mlir
like err "broken.mlir:1:62: use of undeclared SSA value" "a broken module: where"
echo 'func.func private @main(tensor<8xf32>)' >declared.mlir
run 2 "a declaration" module declared.mlir
like err "declared.mlir:1:1: the module has no public function with a body" "a declaration: said"
cat >endless.mlir <<'END'
func.func @main() {
  func.call @main() : () -> ()
  return
}
END
run 2 "a function that calls itself" module endless.mlir
like err "@main calls itself" "a function that calls itself: said"
cat >cbrt.mlir <<'END'
func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = stablehlo.cbrt %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
END
run 0 "no op with an oracle" module cbrt.mlir
run 2 "no op with an oracle, harvested" module cbrt.mlir --harvest nothing
like err "no op of it has an oracle" "no op with an oracle, harvested: said"
[ ! -e nothing ]
ok $? "no op with an oracle, harvested: no file"
run 2 "a missing file" module nowhere.mlir
run 2 "no module" module model.programs
like err "^assay: model.programs:" "no module: named"
finish
