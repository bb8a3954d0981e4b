#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NumPy as a worker: it does ops by its own functions, in the types of ml_dtypes too, refuses what its functions mean otherwise,
# runs modules and programs of unknown sizes, and writes scripts that need nothing but NumPy.  Skipped where it cannot be
# installed (workers.t replays what was found in it).
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
if ! "$ASSAY" executors install numpy >out 2>err </dev/null; then
  echo "1..0 # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
  exit 0
fi

# says CASE PATTERN DESCRIPTION [OPTIONS]: what is said of a case; one that diverges exits with 1.
says() {
  "$ASSAY" replay "$1" --executor "numpy${4:+?$4}" >out 2>err </dev/null
  like out "$2" "$3"
}
product='stablehlo.dot_general batch=[0]x[0] contract=[2]x[2] f32[2,1,3] f32[2,2,3] -> f32[2,1,2] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f800000400000004040000040a000003f80000040000000404000003f80000040a00000'
says "$product" '^numpy: conforms' "a product of batches by matmul"
says "$product" '^numpy.product=einsum: conforms' "and by einsum" product=einsum
says 'stablehlo.reduce body=add dims=[0] i8[3] i8[] -> i8[] : 7f7f7f : 01' '^numpy: conforms' "sums of i8 wrap in i8"
says 'stablehlo.add bf16[2] bf16[] -> bf16[2] : 3f803f80 : 3f80' 'one type' "refuses to broadcast"
says 'stablehlo.divide i32[] i32[] -> i32[] : fffffff9 : 00000002' 'rounds quotients of integers down' \
  "refuses what means something else"
says 'stablehlo.shift_right_arithmetic ui8[] ui8[] -> ui8[] : 80 : 01' 'shifts zeros in' "refuses it of unsigned integers"
quantum='!quant.uniform<i8:f32,0x1p+0>'
says "stablehlo.add $quantum[1] $quantum[1] -> $quantum[1] : 01 : 02" 'computes nothing quantized' "refuses sums of quanta"
says "stablehlo.reshape $quantum[1] -> $quantum[] : 01" '^numpy: conforms' "and moves them"
says 'stablehlo.transpose permutation=[] -> f32[]' 'one operand, one result' "a program without operands is refused"
gather='stablehlo.gather offset_dims=[0] collapsed_slice_dims=[1] operand_batching_dims=[] start_indices_batching_dims=[] start_index_map=[1] index_vector_dim=1 slice_sizes=[2,1] indices_are_sorted=false'
says "$gather i8[2,3] i32[4,1] -> i8[2,4] : 102030405060 : 00000002ffffffff0000000900000001" '^numpy: conforms' \
  "gathers columns, with indices clamped"
window='stablehlo.reduce_window body=maximum window_dimensions=[1,3] window_strides=[1,2] base_dilations=[1,1] window_dilations=[1,1] padding=[[0,0],[1,1]]'
says "$window f32[2,5] f32[] -> f32[2,3] : 3f800000400000003f800000bf8000003f800000bf800000bf800000bf800000bf80000040400000 : ff800000" \
  '^numpy: conforms' "windows with strides and padding"
says 'stablehlo.add f32[?2,3] f32[?2,3] -> f32[?2,3] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f8000004000000040400000' \
  '^numpy: conforms' "unknown sizes"

module='module steps={v0=constant(bf16[2],3f804000);v1=stablehlo.add(a0,v0) bf16[2] bf16[2] -> bf16[2];v2=stablehlo.exponential(v1) bf16[2] -> bf16[2];return(v2)} bf16[2] -> bf16[2] : 3f804000'
says "$module" '^numpy: conforms' "a module of two steps, in a type of ml_dtypes"
run 0 "a script for it is run before it is printed" show --python numpy "$module"
python="${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/numpy/bin/python"
"$python" out >printed 2>err
like printed '^results: 40ec425a$' "and runs without Assay: e^2 and e^4, rounded"
like out '^import ml_dtypes' "and imports what it needs"

# A short campaign over all ops.  What is known of NumPy may diverge, and nothing else: a value outside of
# conversions to the types of ml_dtypes would be ours or a find.
"$ASSAY" run --executor numpy --cases 2500 --json >out 2>err </dev/null
[ $? -le 1 ]
ok $? "a campaign ends"
[ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 400 && !$n{failed} ? 1 : 0')" = 1 ]
ok $? "most of what it takes conforms, and nothing fails"
strange='join ",", map { "$_->{op} $_->{class}" } grep { $_->{outcome} eq "diverges" && $_->{class} ne "zero-sign" && $_->{op} ne "stablehlo.convert" && $_->{op} ne "stablehlo.dot_general" } @{$d->{counters}}'
[ "$(json out "$strange")" = "" ]
ok $? "what diverges is what is known"
finish
