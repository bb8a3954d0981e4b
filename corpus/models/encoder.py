# SPDX-License-Identifier: Apache-2.0
"""An encoder as BERT has it, exported by torch.export.

    PYTHON corpus/models/encoder.py encoder.pt2

Two layers of 64 numbers a token, four heads, gelu, norms behind the residual additions; 16 tokens, whose embeddings are the
input, as the lookup is all that is left out. Weights are random, of seed 1. PYTHON is one with torch: that of
`assay executors install torch`.
"""
from __future__ import annotations

import sys

import torch
from torch import nn

LAYERS, TOKENS, WIDTH, HEADS, HIDDEN, CLASSES = 2, 16, 64, 4, 256, 3


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def heads(made: torch.Tensor) -> torch.Tensor:
            return made.reshape(TOKENS, HEADS, WIDTH // HEADS).permute(1, 0, 2)

        query, key, value = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        scores = torch.matmul(query, key.transpose(1, 2)) * (WIDTH // HEADS) ** -0.5
        mixed = torch.matmul(torch.softmax(scores, -1), value).permute(1, 0, 2).reshape(TOKENS, WIDTH)
        x = self.attention_norm(x + self.output(mixed))
        return self.feed_forward_norm(x + self.down(nn.functional.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(TOKENS, WIDTH) * 0.1)
        self.norm = nn.LayerNorm(WIDTH)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.classes = nn.Linear(WIDTH, CLASSES)

    def forward(self, embedded: torch.Tensor) -> torch.Tensor:
        return self.classes(self.layers(self.norm(embedded + self.places)))


def main() -> None:
    torch.manual_seed(1)
    torch.export.save(torch.export.export(Encoder().eval(), (torch.zeros(TOKENS, WIDTH),)), sys.argv[1])


if __name__ == "__main__":
    main()
