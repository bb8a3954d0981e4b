#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay contract infer: what an executor did not need, and the next version held to it.
. "$(dirname "$0")/../checks.sh"

# An accumulator: f32 for 16-bit and 8-bit floats, then their own type.
sums="--op stablehlo.reduce --op stablehlo.dot_general"
# shellcheck disable=SC2086 # Two options.
run 0 "a wide accumulator" contract infer --executor model:lanes8+acc=f32 $sums --cases 480 --evidence 12 --out sums.contract
like sums.contract "^base = backend$" "a wide accumulator: the base"
like sums.contract "^inferred = yes$" "a wide accumulator: that it is inferred"
like sums.contract "^accumulation = f32$" "a wide accumulator: it is f32"
like sums.contract "^# Not either: 12 cases or more could have told.$" "a wide accumulator: the evidence"
like sums.contract "^#   softmax=scaled$" "a wide accumulator: what no case could tell stays"
unlike sums.contract "^softmax\|^exp_" "a wide accumulator: and is not withdrawn"
# shellcheck disable=SC2086
run 0 "the same accumulator" run --executor model:lanes8+acc=f32 $sums --cases 250 --seed 5 --contract @sums.contract
# shellcheck disable=SC2086
run 1 "a narrow accumulator" run --executor model:lanes8 $sums --cases 250 --seed 5 --contract @sums.contract --db sums.db
like out "diverges (looser): .*; accumulation=either" "a narrow accumulator: is looser, and how"
unlike out "diverges (value)\|diverges (precision)" "a narrow accumulator: breaks nothing else"
run 0 "a narrow accumulator: the database" query findings --db sums.db
like out " looser " "a narrow accumulator: the class in the database"
# shellcheck disable=SC2086
run 0 "a narrow accumulator: by default" run --executor model:lanes8 $sums --cases 250 --seed 5
# shellcheck disable=SC2086
run 1 "a wrong result" run --executor canary:drop_last_term+acc=f32 $sums --cases 40 --seed 5 --contract @sums.contract
like out "diverges (value)" "a wrong result: is no looser one"

# A sum that becomes sequential.
program="stablehlo.reduce body=add dims=[0] bf16[1024,4] bf16[] -> bf16[4]"
run 0 "balanced trees" contract infer --executor model:pairwise --op stablehlo.reduce --types "bf16,bf16->bf16" \
  --strata long=1 --cases 30 --evidence 5 --out trees.contract
like trees.contract "^depth = log$" "balanced trees: how deep they are"
run 0 "balanced trees again" run --executor model:pairwise --program "$program" --cases 150 --seed 3 --contract @trees.contract
run 1 "one after the other" run --executor model:sequential --program "$program" --cases 150 --seed 3 --contract @trees.contract
like out "diverges (looser): .*; depth=any" "one after the other: is looser, and how"

# A long sum in turn errs as one in lanes does, but on data on which it stagnates.
long="stablehlo.reduce body=add dims=[0] f32[4096] f32[] -> f32[]"
run 1 "in turn, not in lanes" run --executor model:sequential --program "$long" --cases 400 --seed 3 --contract depth=lanes
like out "diverges (order)" "in turn, not in lanes: it is told"
run 0 "in lanes" run --executor model:lanes8 --program "$long" --cases 400 --seed 3 --contract depth=lanes

# Functions: exp that loses two ulps.
run 0 "an exact exp" contract infer --executor model:sequential --op byteir.softmax --types f32 --cases 40 --evidence 12
cp out exp.contract
like exp.contract "^exp_f32 = faithful$" "an exact exp: it is faithful"
like exp.contract ", types f32.$" "an exact exp: of which types"
run 1 "an inexact exp" run --executor model:sequential+ulps=2 --op byteir.softmax --cases 80 --contract @exp.contract
like out "f32->f32 diverges (looser)" "an inexact exp: is looser"
run 0 "an inexact exp: by default" run --executor model:sequential+ulps=2 --op byteir.softmax --cases 80

# What a database has of the executor.
run 0 "a database" contract infer --executor model:lanes8 --db sums.db --cases 30 --evidence 5
like out "^# What [0-9]* results of model:lanes8 " "a database: results"
unlike out "^accumulation = f32" "a database: its findings' cases need more"
like out "^#   accumulation=either\|^accumulation = native" "a database: what they need"
run 2 "an executor that it lacks" contract infer --executor model:pairwise --db sums.db
like err "sums.db has no run of model:pairwise" "an executor that it lacks: which"

# Interrupted, it writes what it has.
"$ASSAY" contract infer --executor model:lanes8 --op stablehlo.reduce --cases 100000 --out stopped.contract 2>err &
sleep 2
kill -INT $!
wait $!
ok $? "interrupted: exit code 0"
like stopped.contract "^# It was stopped: " "interrupted: the file says so"
run 0 "interrupted: the file is read" run --executor model:lanes8 --op stablehlo.reduce --cases 20 --contract @stopped.contract

# Bad input.
run 2 "no executor" contract infer
like err "add --executor NAME" "no executor: what to do"
run 2 "two executors" contract infer --executor model:lanes8 --executor model:pairwise
run 2 "another word" contract guess --executor model:lanes8
like err "'guess': write .assay contract infer" "another word: what to do"
run 2 "no cases" contract infer --executor model:lanes8 --cases 0
run 2 "too much evidence" contract infer --executor model:lanes8 --cases 10
like err "^assay: --evidence 30 is more than --cases 10, so that no permission could be withdrawn; write more" \
  "too much evidence: what to write"
run 2 "no such op" contract infer --executor model:lanes8 --op stablehlo.sum
run 2 "no such contract" contract infer --executor model:lanes8 --contract strict
run 2 "nothing to infer" contract infer --executor model:lanes8 --contract identified
run 2 "no such database" contract infer --executor model:lanes8 --db nowhere.db
run 2 "no such types" contract infer --executor model:lanes8 --op stablehlo.reduce --types f33 --cases 2 --evidence 1
like err "none of the programs that were drawn has the types 'f33'" "no such types: told"

# What a looser value permits: products of quantized values by any rescaling, regions in fixed point, and multipliers of bf16
# scales that are computed in f32.
judged() { # CONTRACT VERDICT DESCRIPTION: of the line in the file case.
  "$ASSAY" judge --contract "$1" <case >out 2>err
  like out "^$2" "$3"
}
stored='!quant.uniform<i8:f32,0x1p-1:1>'
printf '%s\t01\n' "stablehlo.reduce body=multiply dims=[0] ${stored}[1] ${stored}[] -> ${stored}[] : 02 : 02" >case
judged rescale=float conforms "a product rescaled in floats"
judged rescale=either conforms "a product rescaled in floats, where either is permitted"
judged rescale=fixed diverges "a product rescaled in floats, where fixed point is"
printf '%s\t02\n' 'module steps={v0=stablehlo.uniform_quantize(a0) !quant.uniform<i8:f32,0x1.0ap-2>[1] -> !quant.uniform<i8:f32,0x1p+0>[1];return(v0)} !quant.uniform<i8:f32,0x1.0ap-2>[1] -> !quant.uniform<i8:f32,0x1p+0>[1] : 05' >case
judged requantize=fixed,intermediates=rounded conforms "a step in fixed point"
judged requantize=fixed conforms "a step in fixed point, where scales may be merged too"
judged backend diverges "a step in fixed point, which nobody permits"
run 0 "fixed point of bf16 scales, in f32" replay --contract requantize=fixed --executor model:sequential+formula=fixed+seed=2 \
  'stablehlo.uniform_quantize !quant.uniform<i32:bf16,0x1.04p+0>[3] -> !quant.uniform<i32:bf16,0x1.8p+0>[3] : 7fffffff600000015555550d'
finish
