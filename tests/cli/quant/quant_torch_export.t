#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay quant import of programs of torch.export: two models with PyTorch's fake-quant ops, fused and run; one of them with
# the pairs of quantize and dequantize that pt2e leaves instead, its weights as numbers or as integers; what is not read.
# Skipped where PyTorch or jaxlib is not installed, but for the error that says so.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
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

import torch.ao.quantization.fx._decomposed
ops = torch.ops.quantized_decomposed
class Decomposed(torch_models.Frozen):
    stored = None
    def forward(self, x):
        ends = (*self.limits, torch.int8)
        if self.axis == -1:
            parameters = (float(self.scale), int(self.zero_point), *ends)
            return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *parameters), *parameters)
        parameters = (self.scale, self.zero_point, self.axis, *ends)
        stored = ops.quantize_per_channel(x, *parameters) if self.stored is None else self.stored
        return ops.dequantize_per_channel(stored, *parameters)
torch_models.Frozen = Decomposed
torch.manual_seed(1)
shape = (1, torch_models.CHANNELS, torch_models.SIZE, torch_models.SIZE)
model = torch_models.InvertedResidual().eval()
for _ in range(64):
    model(2 * torch.rand(shape) - 1)
torch_models.freeze(model)
torch.export.save(torch.export.export(model, (torch.zeros(shape),)), "pairs.pt2")
for module in model.modules():
    if isinstance(module, torch_models.Convolution):
        one = module.weight_fake_quant
        parameters = (one.scale, one.zero_point, one.axis, *one.limits, torch.int8)
        one.stored = ops.quantize_per_channel(module.conv.weight.detach(), *parameters)
torch.export.save(torch.export.export(model, (torch.zeros(shape),)), "stored.pt2")

class Unread(torch.nn.Module):
    def __init__(self, after):
        super().__init__()
        self.after = after
    def forward(self, x):
        return self.after(ops.quantize_per_tensor(x, 0.5, 0, -128, 127, torch.int8))
afters = {
    "other": lambda q: ops.dequantize_per_tensor(q, 0.25, 0, -128, 127, torch.int8),
    "integers": lambda q: torch.relu(q),
}
for name, after in afters.items():
    torch.export.save(torch.export.export(Unread(after), (torch.zeros(2),)), f"{name}.pt2")
class Chosen(torch.nn.Module):
    def forward(self, x):
        scale, zero = ops.choose_qparams(x, -128, 127, 1e-5, torch.int8)
        parameters = (scale, zero, -128, 127, torch.int8)
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *parameters), *parameters)
torch.export.save(torch.export.export(Chosen(), (torch.zeros(2),)), "chosen.pt2")
class Asymmetric(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("stored", torch.tensor([3, 5], dtype=torch.uint8))
    def forward(self, x):
        return x * ops.dequantize_per_tensor(self.stored, 0.5, 3, 0, 255, torch.uint8)
torch.export.save(torch.export.export(Asymmetric(), (torch.zeros(2),)), "asymmetric.pt2")
END
ok $? "models are exported"

run 2 "an op that graphs have not" quant import sine.pt2
like err "^assay: sine.pt2: sin: graphs have no aten.sin.default" "an op that graphs have not: its node"
run 2 "a file that is none" quant import empty.pt2
like err "^assay: empty.pt2: no program of torch.export: " "a file that is none: said"

run 0 "an inverted residual" quant import inverted_residual.pt2 -o residual.graph
like residual.graph "^constant p_expand_conv_weight f32.1,1,4,12. !quant.uniform<i8<-127:127>:f32:3, " \
  "an inverted residual: weights by output channel, transposed"
# ---- Pairs of quantize and dequantize ------------------------------------------------------------------
run 0 "pt2e's pairs" quant import pairs.pt2 -o pairs.graph
sed 's/fake_quantize_per_tensor_affine_/dequantize_per_tensor_/g' residual.graph | cmp -s - pairs.graph
ok $? "pt2e's pairs: the graph of the fake-quant ops"
run 0 "pt2e's integers for weights" quant import stored.pt2 -o stored.graph
cat >compare.py <<'END'
import json, re, struct, sys

def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]

def constants(path):
    """Of every quantized constant its scales and its numbers; and the other lines, without names of constants."""
    found, others = [], []
    for line in open(path):
        match = re.match(r"constant \S+ \S+ !quant[^{]*[{](.*?)[}]> = (.*)", line)
        if match:
            scales = [float(pair.split(":")[0]) for pair in match[1].split(",")]
            found.append((scales, [f32(number) for number in json.loads(match[2])]))
        else:
            line = line.replace("fake_quantize_per_tensor_affine", "dequantize_per_tensor")
            others.append(re.sub(r"\b[cp]_\w+_(weight|stored)\b", "WEIGHT", line))
    return found, others

(left, lines), (right, other_lines) = map(constants, sys.argv[1:])
assert len(left) == 3 and lines == other_lines, (len(left), lines, other_lines)
for (scales, numbers), (other_scales, stored) in zip(left, right):
    assert scales == other_scales and len(numbers) == len(stored)
    for place, (number, value) in enumerate(zip(numbers, stored)):
        scale = scales[place % len(scales)]
        assert value == f32(round(value / scale) * scale), ("no multiple of its scale", place, value)
        assert abs(value - number) <= 0.50001 * scale, ("not the nearest", place, number, value)
END
python3 compare.py residual.graph stored.graph >out 2>err
ok $? "pt2e's integers for weights: what they mean, and else the same graph"
run 0 "a zero point" quant import asymmetric.pt2 -o asymmetric.graph
like asymmetric.graph "^constant b_stored f32.2. !quant.uniform<u8:f32, 0.5:3> = .0.0, 1.0.$" "a zero point: integers less that"
run 2 "scales that differ" quant import other.pt2
like err "^assay: other.pt2: dequantize_per_tensor: integers that are dequantized by other scales than" \
  "scales that differ: said"
run 2 "integers in between" quant import integers.pt2
like err "^assay: integers.pt2: relu: integers that are used before they are dequantized" "integers in between: said"
run 2 "dynamic ranges" quant import chosen.pt2
like err "^assay: chosen.pt2: choose_qparams: graphs have no quantized_decomposed.choose_qparams" "dynamic ranges: said"

# ---- Fused and run -------------------------------------------------------------------------------------
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
