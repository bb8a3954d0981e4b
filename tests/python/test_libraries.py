# SPDX-License-Identifier: Apache-2.0
"""Tensors of other libraries than numpy: by DLPack, on devices, and PyTorch's."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import assay

rng = np.random.default_rng(17)


def normal(*shape):
    return rng.standard_normal(shape).astype(np.float32)


class Borrowed:
    """A tensor of a library that has __dlpack__ alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_dlpack():
    a, b = normal(4, 8), normal(8, 4)
    assert assay.assert_conforms("dot_general", [Borrowed(a), Borrowed(b)], Borrowed(a @ b))


class OnDevice(Borrowed):
    """As a GPU's: its library copies it over if asked."""

    def __dlpack__(self, *, dl_device=None, **words):
        if dl_device is None:
            raise BufferError("it is on a device")
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (2, 0)


class Stays(OnDevice):
    def __dlpack__(self, **words):
        raise BufferError("it stays there")


def test_dlpack_on_a_device():
    x = normal(4)
    with pytest.raises(assay.InvalidArgument, match="Stays is on a device .*: give one"):
        assay.check("negate", [Stays(x)], -x)
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("numpy asks no library for a copy")
    assert assay.assert_conforms("negate", [OnDevice(x)], OnDevice(-x))


TORCH = """
import torch, assay

class Borrowed:
    def __init__(self, tensor):
        self.tensor = tensor
    def __dlpack__(self, **words):
        return self.tensor.__dlpack__(**words)
    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

for dtype in (torch.bfloat16, torch.float16, torch.float8_e4m3fn):  # numpy reads one of them.
    whole = torch.arange(-6, 6).reshape(3, 4).float().to(dtype)
    for tensor in (whole, whole.T, whole[1:, ::2], whole[:0]):
        borrowed, direct = (assay._tensors.as_tensor(one) for one in (Borrowed(tensor), tensor))
        assert borrowed.element == direct.element and borrowed.array.tobytes() == direct.array.tobytes()
        assert not tensor.numel() or borrowed.array.__array_interface__["data"][0] == tensor.data_ptr()
x = Borrowed(torch.full((1000, 1000), 3.0).bfloat16())
borrowed = assay._tensors.as_tensor(x).array
del x
torch.zeros(1000, 1000).bfloat16()
assert (borrowed == 3).all()  # It lives as long as the array.
a, b = torch.randn(8, 16, dtype=torch.bfloat16), torch.randn(16, 8, dtype=torch.bfloat16)
assert assay.assert_conforms("dot_general", [a, b], a @ b, contract="backend").program.operands[0].element == "bf16"
assert not assay.check("dot_general", [a, b], a @ b + 1, contract="backend")
assert assay.assert_conforms("add", [a.T, a.T], a.T + a.T)
case = assay.draw("add", types="bf16", seed=4)
assert all(tensor.dtype == torch.bfloat16 for tensor in case.torch())
"""


def test_pytorch():
    """In PyTorch's own environment, that of the executor: it is too large for another one."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    python = pathlib.Path(data, "assay/executors/torch/bin/python")
    if not python.exists():
        pytest.skip("not installed")
    version = subprocess.check_output([python, "-c", "import sys; print(*sys.version_info[:2])"], text=True)
    if version.split() != [str(part) for part in sys.version_info[:2]]:
        pytest.skip("it is of another Python, which cannot load what this one's cffi is made of")
    place = pathlib.Path(assay.__file__).parent.parent  # The package, and cffi.
    code = f"import sys; sys.path.append({str(place)!r})\n{TORCH}"
    subprocess.run([python, "-c", code], check=True)
