#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay issue and assay show --python: reports for maintainers, with a script that the worker writes and we run.
. "$(dirname "$0")/../checks.sh"

# A worker that returns 12544 for all that it is asked, and writes a script that prints what WRITES says.
cat >worker.py <<'END'
import os
import sys

source, sink = sys.stdin.buffer, sys.stdout.buffer
how = sys.argv[1]
greeting = "assay-worker 1\nname fake\nversion 1.0\nhardware a fast one\n"
greeting += "" if how == "silent" else "scripts yes\n"


def say(text):
    sink.write(text.encode())
    sink.flush()


say("failed no licence\n" if how == "closed" and os.path.exists("closed") else greeting + "ready\n")
for line in iter(source.readline, b""):
    verb, *words = line.decode().rstrip("\n").split(" ")
    if verb == "compile":
        source.read(int(words[1]))
        say("ok\n")
    elif verb == "execute":
        source.read(int(words[1]))
        say("ok 4\n")
        sink.write(bytes.fromhex("00004446"))
        sink.flush()
    elif verb == "script":
        data = source.read(int(words[1]))
        assert data == bytes.fromhex("0080804300008042000080420000804200 00803f000080420000804200008042".replace(" ", "")), data
        text = {"same": 'print("results: 46440000")\n', "other": 'print("results: 46440400")\n', "wrong": "1 / 0\n",
                "quiet": 'print("done")\n'}.get(how, "")
        if how == "refuses":
            say("unsupported not of this kind\n")
        elif how == "long":
            say("ok 1000000\nprint(1)\n")
        elif how == "dies":
            sys.exit("out of order")
        else:
            say(f"ok {len(text)}\n{text}")
END
sum='stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[4] f32[4] -> f32[] : 43808000428000004280000042800000 : 3f800000428000004280000042800000'
issue() { run "$1" "$3" issue "$sum" --executor "proc:python3 $folder/worker.py $2"; }

issue 0 same "a worker whose script shows the fault"
like out '^# proc:.*: stablehlo.dot_general returns 12544 (46440000), expected 12545$' "the title"
like out '^| version | fake 1.0 |$' "the version"
like out '^| hardware | a fast one |$' "the hardware"
like out '^| got | 0x1.88p+13 = 12544 (46440000) |$' "got, in hex and in decimal"
like out '^| permitted | 0x1.8808p+13 = 12545 |$' "permitted, likewise"
like out '^| exact value | 12545 |$' "the exact value"
like out '^| clause | StableHLO specification, dot_general |$' "the clause"
like out '^| excuse | it would conform with\|^| excuse | only\|^| excuse | none' "whether a permission excuses it"
like out 'proven: 46440000 is none of 12545..12545.*theorems T17' "why it is proven"
like out '^print("results: 46440000")$' "the script"
like out 'printed the same wrong bits: `46440000`' "it has been run"
issue 0 other "a worker whose script shows no fault"
like out 'does not show the fault.*`46440400`.*Assay got `46440000`' "says so"
issue 0 wrong "a worker whose script ends with an error"
like out 'does not run here.*ZeroDivisionError' "says so, and how"
issue 0 quiet "a worker whose script prints no results"
like out 'does not run here' "says so"
issue 0 silent "a worker that writes no scripts"
like out 'no script without Assay: the worker writes no scripts' "says so"
issue 0 refuses "a worker that writes none of this case"
like out 'no script without Assay: unsupported not of this kind' "says why"
issue 3 long "a script of another length"
like err 'script is not as long as it says' "says so"
issue 3 dies "a worker that ends"
like err 'ended without an answer: .*out of order' "says what it said"

run 0 "of what is no worker" issue "$sum" --executor canary:narrow_operands
like out 'only workers write scripts' "says so"
"$ASSAY" run --executor canary:drop_last_term --op stablehlo.reduce --cases 300 --db f.db >/dev/null 2>&1
run 0 "of a finding" issue 1 --db f.db
like out '^| seen | [1-9][0-9]* times' "how often it was seen"
run 2 "of a finding that is not there" issue 1000 --db f.db
run 2 "of a finding without a database" issue 1
run 2 "of what is right" issue "$sum" --executor model:pairwise
like err 'nothing to report' "of what is right: says so"
run 2 "of no case" issue nothing --executor model:pairwise
flush='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 0000000100000001 : 00000000'
run 0 "of what a permission excuses" issue "$flush" --executor canary:flush_outputs
like out '^| class | flush: explained by flushing' "of what a permission excuses: which"
like out '^| excuse | only what the class says, which the contract does not permit |$' "of what a permission excuses: says so"

show() { run "$1" "$3" show "$sum" --python "proc:python3 $folder/worker.py $2"; }
show 0 same "show --python"
[ "$(head -n 1 out)" = 'print("results: 46440000")' ]
ok $? "show --python: the script"
like out '^# Run here, it printed: 46440000$' "show --python: and what it printed"
show 3 silent "show --python of a worker that writes none"
like err 'no script of this case' "show --python of a worker that writes none: says so"
run 2 "show --python of an executor that is not there" show "$sum" --python nobody
run 2 "show --python of a program" show "${sum%% : *}" --python "proc:python3 $folder/worker.py same"
run 2 "show --python with --c" show "$sum" --c --python xla

# Programs in C: a library of ours that loses the last term of a dot product, behind the openblas plugin.
cat >losing.c <<'END'
float cblas_sdot(int n, const float *x, int dx, const float *y, int dy) {
  float sum = 0;
  for (int i = 0; i + 1 < n; i++) sum += x[i * dx] * y[i * dy];
  return sum;
}
#define NONE(name) void name(void) {}
NONE(cblas_sgemm) NONE(cblas_dgemm) NONE(cblas_cgemm) NONE(cblas_zgemm) NONE(cblas_sgemv) NONE(cblas_dgemv)
NONE(cblas_cgemv) NONE(cblas_zgemv) NONE(cblas_ddot) NONE(cblas_dsdot) NONE(cblas_cdotu_sub) NONE(cblas_zdotu_sub)
END
if [ -f "$(dirname "$ASSAY")/plugins/openblas_plugin.so" ]; then
  "${CC:-clang-19}" -shared -fPIC -o liblosing.so losing.c 2>err
  losing="openblas?library=$folder/liblosing.so,routine=dot"
  run 0 "a report with a program in C" issue "$sum" --executor "$losing"
  like out '^```c$' "it is C"
  like out 'cblas_sdot(4, x' "it makes the call"
  like out 'printed the same wrong bits: `46040400`' "it has been built and run"
  sed -n '/^```c$/,/^```$/p' out | grep -v '^```' >reproducer.c
  sh -c "$(sed -n 's/^ \* Build: //p' reproducer.c)" 2>err && [ "$(sh -c "$(sed -n 's/^ \* Run: //p' reproducer.c)")" = "results: 46040400" ]
  ok $? "what is printed can be built and run as it says"
  for routine in gemm gemv dot; do
    for program in 'batch=[0]x[0] contract=[2]x[1] f32[2,1,2] f32[2,2,1] -> f32[2,1,1] : 3f800000400000004040000040800000 : 40a0000040c0000040e0000041000000 4188000042540000' \
      'batch=[]x[] contract=[0]x[1] complex<f64>[1,1] complex<f64>[1,1] -> complex<f64>[1,1] : 3ff00000000000004000000000000000 : 40080000000000004010000000000000 c0140000000000004024000000000000'; do
      run 0 "$routine writes a program" show --c --executor "openblas?routine=$routine" "stablehlo.dot_general ${program% *}"
      like out "^/. Run here, it printed: ${program##* } ./\$" "$routine: it prints what is right"
    done
  done
  run 2 "show --executor without --c" show "$sum" --executor openblas
else
  count=$((count + 1))
  echo "ok $count - programs in C # SKIP there is no openblas plugin"
fi
# The same of oneDNN: its real faults are shown without Assay, and what it computes is computed again.
shows() { # CASE BITS WORDS
  run 0 "a report about ${1%% *} of oneDNN" issue "$1" --executor onednn
  like out "$3" "${1%% *}: it makes the call"
  like out "printed the same wrong bits: \`$2\`" "${1%% *}: it has been built and run"
}
writes() { # CASE BITS WORDS [OPTIONS]
  run 0 "oneDNN writes a program of ${1%% *}" show --c --executor "onednn${4:-}" "$1"
  like out "$3" "${1%% *}: it makes the call"
  like out "^/. Run here, it printed: $2 ./\$" "${1%% *}: it prints what is right"
}
if [ -f "$(dirname "$ASSAY")/plugins/onednn_plugin.so" ]; then
  shows 'stablehlo.reduce body=maximum dims=[0] f32[2] f32[] -> f32[] : 7fc00000bf800000 : ff800000' bf800000 dnnl_reduction_max
  shows 'stablehlo.reduce body=minimum dims=[0] f32[2] f32[] -> f32[] : 7f8000007f800000 : 7f800000' 7f7fffff dnnl_reduction_min
  shows 'byteir.gelu approximate=erf f32[1] -> f32[1] : 80000000' 00000000 dnnl_eltwise_gelu_erf
  shows 'byteir.log_softmax axis=0 f32[2] -> f32[2] : 3f8000007fc00000' ff8000007fc00000 'dnnl_softmax_log.*, 0'
  # Two batches, of operands of which one is gathered; windows with a step, a dilation, padding and groups.
  writes 'stablehlo.dot_general batch=[2]x[0] contract=[0]x[2] f32[2,1,2] f32[2,1,2] -> f32[2,1,1] : 3f800000400000004040000040800000 : 3f800000400000004040000040800000' \
    40e0000041b00000 dnnl_matmul_desc_init
  writes 'stablehlo.convolution window_strides=[2] padding=[[1,0]] lhs_dilation=[1] rhs_dilation=[2] window_reversal=[false] dimension_numbers=[b,f,0]x[o,i,0]->[b,f,0] feature_group_count=2 batch_group_count=1 f32[1,2,4] f32[2,1,2] -> f32[1,2,2] : 3f80000040000000404000004080000040a0000040c0000040e0000041000000 : 3f800000412000003f80000042c80000' \
    41a00000422800004416000044498000 dnnl_dilated_convolution_forward_desc_init
  # The initial value is ours to add: of integers, and of bf16, which it widens.
  writes 'stablehlo.reduce body=add dims=[0] i8[3] i8[] -> i32[] : 7f7f7f : 03' 00000180 'return (int32_t)((uint32_t)a + (uint32_t)b);' '?types=any'
  writes 'stablehlo.reduce body=add dims=[1] bf16[2,2] bf16[] -> f32[2] : 3f80400040404080 : 4120' 4150000041880000 dnnl_reduction_sum
  writes 'stablehlo.reduce_window body=maximum window_dimensions=[1,1,2] window_strides=[1,1,1] base_dilations=[1,1,1] window_dilations=[1,1,1] padding=[[0,0],[0,0],[0,0]] f32[1,1,3] f32[] -> f32[1,1,2] : bf800000c0000000c0400000 : bfc00000' \
    bf800000bfc00000 dnnl_pooling_max
  writes 'stablehlo.subtract f32[2] f32[2] -> f32[2] : 3f80000040000000 : 4040000040800000' c0000000c0000000 dnnl_binary_sub '?isa=AVX2'
  like out 'CHECK(dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2));' "of an instruction set that was asked for"
  writes 'stablehlo.transpose permutation=[1,0] f32[2,2] -> f32[2,2] : 3f800000400000004040000040800000' 3f800000404000004000000040800000 dnnl_reorder
  writes 'stablehlo.concatenate dimension=0 f32[1] f32[1] -> f32[2] : 3f800000 : 40000000' 3f80000040000000 dnnl_concat '?threads=2'
  like out '^ . Run: OMP_NUM_THREADS=2 ./reproducer$' "of threads that were asked for"
  run 3 "no program of what takes post-ops" show --c --executor 'onednn?types=any' \
    'stablehlo.reduce body=add dims=[0] !quant.uniform<i8:f32,0x1p+0:1>[2] !quant.uniform<i8:f32,0x1p+0:1>[] -> !quant.uniform<i32:f32,0x1p+0>[] : 0203 : 01'
  like err 'it takes scales, zero points or post-ops' "it says why"
else
  count=$((count + 1))
  echo "ok $count - programs in C of oneDNN # SKIP there is no onednn plugin"
fi
run 3 "show --c of what writes no programs" show "$sum" --c --executor canary:narrow_operands

# The workers for real: their scripts print what they should.
real() { # EXECUTOR CASE BITS
  if ! "$ASSAY" executors install "${1%%\?*}" >out 2>err </dev/null; then
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
    return
  fi
  run 0 "$1 writes a script" show "$2" --python "$1"
  like out "^# Run here, it printed: $3\$" "$1: its script prints $3"
  ! grep -q -i assay out
  ok $? "$1: its script knows nothing of ours"
}
real xla "$sum" 46440400
real torch 'byteir.erf bf16[] -> bf16[] : 3f80' 3f58
real torch 'stablehlo.convolution window_strides=[1] padding=[[0,0]] lhs_dilation=[1] rhs_dilation=[1] window_reversal=[false] dimension_numbers=[b,f,0]x[o,i,0]->[b,f,0] feature_group_count=1 batch_group_count=1 complex<f32>[1,1,1] complex<f32>[1,1,1] -> complex<f32>[1,1,1] : 3f80000039800000 : 3f80000039000000' 3f80000039bffc00
# A module with a constant, in types that numpy has not; and what torch.compile makes of one: 2^-12 in place of
# 2^-12 + 2^-25, in vectors.
real torch 'module steps={v0=constant(bf16[2],3f804000);v1=stablehlo.add(a0,v0) bf16[2] bf16[2] -> bf16[2];v2=stablehlo.exponential(v1) bf16[2] -> bf16[2];return(v2)} bf16[2] -> bf16[2] : 3f804000' 40ec425a
if command -v g++ >/dev/null 2>&1; then
  small=$(printf '39800000%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
  real 'torch?modules=compile' 'module steps={v0=stablehlo.exponential_minus_one(a0) f32[16] -> f32[16];return(v0)} f32[16] -> f32[16] : '"$small" "$small"
  like out '^outputs = torch.compile(program, ' "by torch.compile"
fi
real onnxruntime 'stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 40400000' 40c00000
# Types that only ml_dtypes has: faults of corpus/found, and f8E5M2, which numpy counts among its own kinds.
real onnxruntime 'stablehlo.convert f8E4M3FN[] -> i1[] : 80' 1
real onnxruntime 'stablehlo.convert f8E5M2[] -> i1[] : 80' 1
real onnxruntime 'stablehlo.convert f64[] -> f8E4M3FN[] : 3ff1000000000001' 38
real onnxruntime 'stablehlo.convert i32[] -> f8E5M2[] : 0000f000' 7f
real onnxruntime 'stablehlo.convert bf16[2] -> f8E4M3FNUZ[2] : 3f80c000' 40c8
real torch 'stablehlo.convert f64[] -> f8E4M3FN[] : 3ff1000000000001' 38
real torch 'stablehlo.convert f8E5M2[2] -> f16[2] : 3c41' 3c004100
real torch 'stablehlo.convert f8E5M2FNUZ[2] -> bf16[2] : 3c41' 3f003fa0
# Quantized tensors cannot be traced, nor can programs that look at data: their calls are written down as they are made.
real torch 'stablehlo.uniform_quantize f32[2] -> !quant.uniform<i8:f32:0,{0x1p+0,0x1p+1:3}>[2] : 3f80000041000000' 0107
real torch 'stablehlo.uniform_dequantize !quant.uniform<i32:f32,0x1p+0:3>[2] -> f32[2] : 0000000500000003' 4000000000000000
real torch 'byteir.quantize f32[] f32[] i8[] -> i8[] : 3f800000 : 3f000000 : 03' 05
real numpy 'stablehlo.convert f64[] -> f8E4M3FN[] : 3ff1000000001000' 38
real numpy 'stablehlo.convert f64[] -> f4E2M1FN[] : 3ff4000000001000' 2
real xla 'stablehlo.sqrt f8E3M4[] -> f8E3M4[] : 2f' 30
real xla 'stablehlo.add f8E5M2[2] f8E5M2[2] -> f8E5M2[2] : 3c41 : 3c3c' 4043
real xla 'stablehlo.add f4E2M1FN[2] f4E2M1FN[2] -> f4E2M1FN[2] : 12 : 23' 34
if "$ASSAY" executors install onnxruntime >out 2>err </dev/null; then
  run 0 "a report of -0 of 8 bits that is cast to true" issue 'stablehlo.convert f8E4M3FN[] -> i1[] : 80' --executor onnxruntime
  like out 'FLOAT8E4M3FN' "its script binds raw bytes"
  like out 'printed the same wrong bits: `1`' "and has been run"
fi
real tflite 'stablehlo.uniform_quantize !quant.uniform<i8:f32:0,{0x1.333334p-1,0x1p+0}>[2] -> !quant.uniform<i8:f32,0x1p+0>[2] : 7c05' 4b05
real openvino 'stablehlo.subtract i8[] i8[] -> i8[] : f2 : 01' f1
finish
