#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay quant import of programs of torch.export: two models with PyTorch's fake-quant ops, fused and run; an op that is
# not read.  Skipped where PyTorch or jaxlib is not installed, but for the error that says so.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/checks.sh"
executors=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors
python=$executors/torch/bin/python

: >empty.pt2
XDG_DATA_HOME=$PWD/nothing run 3 "without PyTorch" quant import empty.pt2
like err "run .assay executors install torch" "without PyTorch: what to do"
run 2 "a missing file" quant import nowhere.pt2
like err "cannot read nowhere.pt2" "a missing file: named"
if [ ! -x "$python" ] || [ ! -x "$executors/jax/bin/python" ]; then
  count=$((count + 1))
  echo "ok $count - models # SKIP PyTorch and jaxlib are not both installed"
  finish
  exit
fi

"$python" - "$root/corpus/quant/models" >out 2>err <<'END'
import sys
sys.path.insert(0, sys.argv[1])
sys.argv[1] = "."
import torch, torch_models
torch_models.main()
class Sine(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x)
torch.export.save(torch.export.export(Sine(), (torch.zeros(2),)), "sine.pt2")
END
ok $? "models are exported"

run 2 "an op that graphs have not" quant import sine.pt2
like err "^assay: sine.pt2: sin: graphs have no aten.sin.default" "an op that graphs have not: its node"
run 2 "a file that is none" quant import empty.pt2
like err "^assay: empty.pt2: no program of torch.export: " "a file that is none: said"

run 0 "an inverted residual" quant import inverted_residual.pt2 -o residual.graph
like residual.graph "^constant p_expand_conv_weight f32.1,1,4,12. !quant.uniform<i8<-127:127>:f32:3, " \
  "an inverted residual: weights by output channel, transposed"
run 0 "fused" quant fuse residual.graph --table tflite_int8 -o fused.graph
like err "^fused: 6 regions of 20 ops, 0 ops left in no region" "fused: all of it"
run 0 "quantized" quant propagate fused.graph --table tflite_int8
like err "^fully quantized: 6 regions, 0 refused, .* 0 rescales" "quantized: fully, without a rescale"
run 0 "run" quant run fused.graph --table tflite_int8 --executor model:sequential --inputs 1 --regions both --json
[ "$(json out 'scalar grep { $_->{steps}{diverges} + $_->{steps}{failed} == 0 and not grep { !($_->{observed} <= $_->{certified}) } values %{$_->{values}} } @{$d->{runs}}')" = 3 ]
ok $? "run: three forms conform, within what is certified"
run 0 "a transformer block" quant fuse transformer_block.pt2 --table tflite_int8 -o fused.graph
like err "^fused: 20 regions of 32 ops, 5 ops left in no region" "a transformer block: fused"
finish
