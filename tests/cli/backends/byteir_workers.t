#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ByteIR's ops in the backends: what each does conforms on plain numbers, what it does not do is
# refused, what breaks a rule is not run; and short campaigns end without a failure of the workers.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

# Who refuses a line, and the line.  `-`: nobody; onnxruntime, torch, jax, xla, stablehlo and onednn
# by their first letters (oNednn), in capitals where they take it and diverge; `b`: the line breaks a
# rule, and nobody may run it; `m`: Assay does not model it, and whatever they do is their own.
cat >lines <<'END'
- byteir.softmax axis=0 f32[3] -> f32[3] : 3f80000040000000c2c80000
N byteir.log_softmax axis=0 f32[3] -> f32[3] : 3f80000040000000c2c80000
s byteir.gelu approximate=none f32[3] -> f32[3] : 3f000000bf00000041000000
- byteir.gelu approximate=tanh f32[3] -> f32[3] : 3f000000bf00000041000000
sn byteir.erf f32[3] -> f32[3] : 3f000000bf00000041000000
- byteir.layer_norm epsilon=0x1p-10 axis=[1] f32[2,2] f32[2] f32[2] -> f32[2,2] : bf8000003f800000c000000040400000 : 4000000040400000 : 40a0000040e00000
n byteir.layer_norm epsilon=0x1p-10 axis=[0] f32[2,2] f32[2] f32[2] -> f32[2,2] f32[1,2] f32[1,2] : bf8000003f800000c000000040400000 : 4000000040400000 : 40a0000040e00000
n byteir.layer_norm epsilon=0x1p-10 axis=[1] eps_outside_sqrt=true f32[1,2] f32[2] f32[2] -> f32[1,2] : bf8000003f800000 : 4000000040400000 : 40a0000040e00000
on byteir.layer_norm epsilon=0x1.4f8b588e368f1p-17 axis=[1] f64[1,2] f64[2] f64[2] -> f64[1,2] : bff00000000000003ff0000000000000 : 40000000000000004010000000000000 : 40140000000000004018000000000000
n byteir.l2_norm epsilon=0x1p-10 axis=[1] f32[1,2] -> f32[1,2] : 4040000040800000
n byteir.l2_norm epsilon=0x1p-10 axis=[0,1] eps_outside_sqrt=true f32[1,2] -> f32[1,2] : 4040000040800000
n byteir.arg_max axis=1 keep_dims=false select_last_index=false f32[2,3] -> i64[2] : 3f8000004000000040000000c0000000bf80000080000000
n byteir.arg_min axis=0 keep_dims=true select_last_index=true f32[3] -> f32[1] i32[1] : 3f8000003f80000040000000
n byteir.top_k k=2 axis=[1] sorted=true f32[1,4] -> f32[1,2] i32[1,2] : 3f80000040400000bf80000040000000
n byteir.one_hot depth=3 axis=0 on_value=3f800000 off_value=80000000 i32[3] -> f32[3,3] : 00000002ffffffff00000003
n byteir.quantize f32[4] f32[] ui8[] -> ui8[4] : 3f800000bf800000447a00003e800000 : 3f000000 : 80
- byteir.dequantize i8[4] f32[] i8[] -> f32[4] : 7f800100 : 3f000000 : 03
n byteir.dequantize axis=0 i8[2] f32[2] i8[2] -> f32[2] : 7f80 : 3f0000003e800000 : 0304
jxsn byteir.resize target_mode=size mode=nearest coordinate_transformation_mode=asymmetric f32[1,1,2] i64[3] -> f32[1,1,4] : 0000000040800000 : 000000000000000100000000000000010000000000000004
jtxsn byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel i8[1,1,2] i64[3] -> i8[1,1,4] : 007f : 000000000000000100000000000000010000000000000004
xs byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel f32[1,1,2] i64[3] -> f32[1,1,4] : 0000000040800000 : 000000000000000100000000000000010000000000000004
on byteir.rng_uniform f32[] f32[] i64[] i64[] -> f32[3] : 00000000 : 3f800000 : 0000000000000001 : 0000000000000002
ojxsn byteir.addn f32[2] f32[2] f32[2] -> f32[2] : 3f80000040000000 : 4040000040800000 : bf800000c0000000
ojxsn byteir.nll_loss_forward ignore_index=-1 reduction=1 f32[2,2] i64[2] -> f32[] f32[] : bf800000c0000000c0400000c0800000 : 0000000000000001ffffffffffffffff
ojxsn byteir.nll_loss_backward ignore_index=-1 reduction=2 f32[] f32[2,2] i64[2] f32[] -> f32[2,2] : 3f800000 : bf800000c0000000c0400000c0800000 : 0000000000000001ffffffffffffffff : 3f800000
b byteir.nll_loss_forward ignore_index=-1 reduction=3 f32[1] i64[] -> f32[] f32[] : 3f800000 : 0000000000000000
ojxsn byteir.repeat i8[2] i64[2] -> i8[3] : 0102 : 00000000000000010000000000000002
jxsn byteir.non_zero f32[3] -> i64[2,1] : 3f80000080000000c0000000
jxsn tf.DynamicPartition num_partitions=2 f32[2] i32[2] -> f32[1] f32[1] : 3f80000040000000 : 0000000100000000
ojxsn tf.DynamicStitch i32[2] f32[2] -> f32[2] : 0000000100000000 : 3f80000040000000
jxsn tf.Select i1[2] f32[2,2] f32[2,2] -> f32[2,2] : 10 : 3f8000004000000040400000c0000000 : 40a0000040c0000040e0000041000000
m tf.DynamicPartition num_partitions=1 f32[2,1] i32[2,1] -> f32[2] : 3f80000040000000 : 0000000000000000
b byteir.softmax axis=1 f32[1] -> f32[1] : 3f800000
b byteir.log_softmax axis=0 f32[1] -> f32[2] : 3f800000
m byteir.gelu approximate=tanh i32[1] -> i32[1] : 00000001
m byteir.erf f32[1] -> f64[1] : 3f800000
b byteir.layer_norm epsilon=0x0p+0 axis=[0] f32[2] f32[1] f32[2] -> f32[2] : 3f80000040000000 : 3f800000 : 3f80000040000000
b byteir.l2_norm epsilon=0x0p+0 axis=[0,0] f32[1] -> f32[1] : 3f800000
b byteir.arg_max axis=0 keep_dims=true select_last_index=false f32[1] -> i64[] : 3f800000
m byteir.arg_min axis=0 keep_dims=false select_last_index=false f32[0] -> i64[] : -
b byteir.top_k k=2 axis=[0] sorted=true f32[1] -> f32[2] i64[2] : 3f800000
m byteir.one_hot depth=3 axis=0 on_value=1 off_value=0 i32[1] -> f32[3,1] : 00000000
b byteir.quantize f32[1] f32[] i8[] -> ui8[1] : 3f800000 : 3f800000 : 00
b byteir.dequantize axis=0 i8[1] f32[] i8[] -> f32[1] : 01 : 3f800000 : 00
m byteir.resize target_mode=scale mode=linear coordinate_transformation_mode=half_pixel i64[1] f32[1] -> i64[2] : 0000000000000001 : 40000000
on byteir.rng_normal f32[] f32[] i64[] i64[] -> f32[3] : 3f800000 : 40000000 : 0000000000000001 : 0000000000000002
m byteir.rng_uniform f32[] f64[] i64[] i64[] -> f32[1] : 00000000 : 3ff0000000000000 : 0000000000000001 : 0000000000000002
END

# check LETTER EXECUTOR: every line has the answer that is written before it.
check() {
  cut -d ' ' -f 2- lines >cases
  "$ASSAY" replay cases --executor "$2" >out 2>err </dev/null
  grep -o -e "^$2: [a-z-]*" out | sed 's/.*: //' >answers
  while read -r refusers line; do
    case $refusers in
      b) echo "conforms refused" ;;
      m) echo "no-oracle refused" ;;
      *"$1"*) echo refused ;;
      *"$(echo "$1" | tr a-z A-Z)"*) echo diverges ;;
      *) echo conforms ;;
    esac
  done <lines >expected
  paste -d '|' answers expected cases | while IFS='|' read -r answer wanted line; do
    case " $wanted " in *" $answer "*) ;; *) echo "$answer, not $wanted: $line" ;; esac
  done >err
  [ ! -s err ] && [ "$(wc -l <answers)" -eq "$(wc -l <lines)" ]
  ok $? "$2: does what it says, refuses the rest, and runs nothing that breaks a rule"
}

# campaign EXECUTOR CASES: of all of ByteIR's ops.
campaign() {
  # Unquoted: options and their values.
  "$ASSAY" run --executor "$1" $ops --cases "$2" --contract backend,ftz=both --json >out 2>err \
    </dev/null
  [ $? -le 1 ]
  ok $? "$1: a campaign of $2 cases ends, with or without divergences"
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > $n{diverges} && !$n{failed} ? 1 : 0')" = 1 ]
  ok $? "$1: most of what it takes conforms, and nothing fails"
  [ "$(json out 'scalar grep { $_->{class} =~ /accepted|supported/ } @{$d->{counters}}')" = 0 ]
  ok $? "$1: runs what it promises and nothing else"
}

# found FILE EXECUTOR: each case of corpus/found/FILE.cases diverges.
found() {
  "$ASSAY" replay "$root/corpus/found/$1.cases" --executor "$2" >out 2>err </dev/null
  [ "$(grep -c "^$2: diverges" out)" -eq "$(grep -c '^byteir' "$root/corpus/found/$1.cases")" ]
  ok $? "$2: what was found in it still diverges"
}

# ready NAME: whether a backend is there; a skipped test point if not.
ready() {
  grep -q -e "^$1  *ready" executors.txt && return
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $(grep -e "^$1 " executors.txt | tr '#' ' ' | cut -c1-150)"
  return 1
}

list_executors onnxruntime torch jax >executors.txt 2>err
ops=$("$ASSAY" ops | sed -n 's/^\(byteir\.[a-z0-9_]*\) .*/--op \1/p')
for row in o:onnxruntime t:torch j:jax x:xla s:stablehlo n:onednn; do
  name=${row#*:}
  if ready "$name"; then
    check "${row%%:*}" "$name"
    campaign "$name" 400
  fi
done

if ready torch; then
  ties=$(printf '3f80000000000000%.0s' 1 2 3 4 5 6 7 8)
  row="byteir.top_k k=5 axis=[0] sorted=true f32[16] -> f32[5] i32[5] : $ties"
  "$ASSAY" replay "$row" --executor torch --executor 'torch?top_k=topk' >out 2>err </dev/null
  like out '^torch: conforms' "torch: of equal elements those of lower indices"
  like out '^torch[?]top_k=topk: diverges, index' "torch: topk takes others, as it documents"
  "$ASSAY" replay "$row" --executor 'torch?top_k=topk' --contract top_k_ties=any >out 2>err </dev/null
  like out 'conforms' "torch: which a contract can permit"
  row='byteir.quantize f32[] f32[] i8[] -> i8[] : 3f000000 : 3f800000 : 01'
  "$ASSAY" replay "$row" --executor torch --executor 'torch?zero_point=before' >out 2>err </dev/null
  like out '^torch: conforms' "torch: 0.5 is rounded before the zero point is added"
  like out '^torch[?]zero_point=before: diverges, quantum' "torch: and after, by PyTorch itself"
fi

if ready xla; then
  row='byteir.softmax axis=0 f32[2] -> f32[2] : 42c8000042c80000'
  "$ASSAY" replay "$row" --executor xla --executor 'xla?byteir=published' >out 2>err </dev/null
  like out '^xla: conforms' "xla: softmax of large numbers"
  like out 'diverges, formula' "xla: ByteIR's published softmax overflows, and that formula is named"
  found byteir 'xla?byteir=published'
fi
if grep -q "^jax  *ready" executors.txt; then
  found jax jax
  "$ASSAY" replay "$root/corpus/found/jax.cases" --executor jax \
    --contract "@$root/harness/exec/workers/jax.contract" >out 2>err </dev/null
  ok $? "jax: its contract file permits what it does by design"
fi

finish
