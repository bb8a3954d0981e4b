# SPDX-License-Identifier: Apache-2.0
"""An inverted residual and a transformer block with PyTorch's own fake-quant modules, exported by torch.export.

    PYTHON corpus/quant/models/torch_models.py FOLDER

writes FOLDER/inverted_residual.pt2 and FOLDER/transformer_block.pt2. Weights are random, of seed 1; 64 random
inputs run through the observers of torch.ao.quantization.FakeQuantize; what is exported has the fake-quant ops
of their ranges (FakeQuantize itself asks its data whether it observes, which no exported program can):
activations in i8, weights in i8 from -127 on, by output channel. PYTHON is one with torch: that of
`assay executors install torch`.
"""
from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, MinMaxObserver, PerChannelMinMaxObserver

CHANNELS, EXPANDED, SIZE = 4, 12, 8
TOKENS, WIDTH, HEADS, HIDDEN = 8, 16, 2, 32


def activation() -> nn.Module:
    return FakeQuantize(MinMaxObserver, quant_min=-128, quant_max=127, dtype=torch.qint8)


def weight() -> nn.Module:
    return FakeQuantize(
        PerChannelMinMaxObserver, quant_min=-127, quant_max=127, dtype=torch.qint8,
        qscheme=torch.per_channel_symmetric, ch_axis=0,
    )  # fmt: skip


class Frozen(nn.Module):
    """The fake-quant op that an observer has come to."""

    def __init__(self, observed: FakeQuantize) -> None:
        super().__init__()
        self.scale, self.zero_point = observed.calculate_qparams()
        self.axis, self.limits = observed.ch_axis, (observed.quant_min, observed.quant_max)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.axis == -1:
            return torch.fake_quantize_per_tensor_affine(
                x, float(self.scale), int(self.zero_point), *self.limits
            )
        zeros = self.zero_point.to(torch.int32)
        return torch.fake_quantize_per_channel_affine(x, self.scale, zeros, self.axis, *self.limits)


def freeze(module: nn.Module) -> None:
    for name, child in module.named_children():
        if isinstance(child, FakeQuantize):
            setattr(module, name, Frozen(child))
        else:
            freeze(child)


class Convolution(nn.Module):
    def __init__(self, inputs: int, outputs: int, size: int, groups: int, is_clamped: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, padding=size // 2, groups=groups)
        self.weight_fake_quant, self.after = weight(), activation()
        self.clamp = nn.ReLU6() if is_clamped else nn.Identity()

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        kernel, conv = self.weight_fake_quant(self.conv.weight), self.conv
        sums = nn.functional.conv2d(image, kernel, conv.bias, padding=conv.padding, groups=conv.groups)
        return self.after(self.clamp(sums))


class InvertedResidual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = activation(), activation()
        self.expand = Convolution(CHANNELS, EXPANDED, 1, 1, True)
        self.depthwise = Convolution(EXPANDED, EXPANDED, 3, EXPANDED, True)
        self.project = Convolution(EXPANDED, CHANNELS, 1, 1, False)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        image = self.before(image)
        return self.after(image + self.project(self.depthwise(self.expand(image))))


class Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear, self.weight_fake_quant, self.after = nn.Linear(inputs, outputs), weight(), activation()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kernel = self.weight_fake_quant(self.linear.weight)
        return self.after(nn.functional.linear(x, kernel, self.linear.bias))


class TransformerBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        names = ("query", "key", "value", "output")
        self.linears = nn.ModuleDict({name: Linear(WIDTH, WIDTH) for name in names})
        self.up, self.down = Linear(WIDTH, HIDDEN), Linear(HIDDEN, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        marks = ("tokens", "scores", "context", "attended", "attention_norm", "hidden", "fed", "feed_forward_norm")
        self.marks = nn.ModuleDict({name: activation() for name in marks})

    def heads(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return self.linears[name](x).reshape(TOKENS, HEADS, WIDTH // HEADS).permute(1, 0, 2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        tokens = self.marks["tokens"](tokens)
        query, key, value = (self.heads(tokens, name) for name in ("query", "key", "value"))
        scores = torch.matmul(query, key.transpose(1, 2)) * (WIDTH // HEADS) ** -0.5
        shares = torch.softmax(self.marks["scores"](scores), -1)
        context = torch.matmul(shares, value).permute(1, 0, 2).reshape(TOKENS, WIDTH)
        attended = self.linears["output"](self.marks["context"](context))
        tokens = self.norms[0](self.marks["attended"](tokens + attended))
        tokens = self.marks["attention_norm"](tokens)
        hidden = self.marks["hidden"](nn.functional.gelu(self.up(tokens)))
        fed = self.marks["fed"](tokens + self.down(hidden))
        return self.marks["feed_forward_norm"](self.norms[1](fed))


def main() -> None:
    folder = Path(sys.argv[1])
    shapes = {"inverted_residual": (1, CHANNELS, SIZE, SIZE), "transformer_block": (TOKENS, WIDTH)}
    models = {"inverted_residual": InvertedResidual, "transformer_block": TransformerBlock}
    for name, make in models.items():
        torch.manual_seed(1)
        model = make().eval()
        reach = 1 if name == "inverted_residual" else 2
        for _ in range(64):
            model(reach * (2 * torch.rand(shapes[name]) - 1))
        freeze(model)
        torch.export.save(torch.export.export(model, (torch.zeros(shapes[name]),)), folder / f"{name}.pt2")


if __name__ == "__main__":
    main()
