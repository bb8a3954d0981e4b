# SPDX-License-Identifier: Apache-2.0
"""Writes the module by which Python calls libassay, from the library's own header.

    build_binding.py HEADER MODULE.py

cffi's ABI mode, out of line: no compiler is needed, and what the header declares is parsed once, when the package
is built."""

import re
import sys

import cffi


def declarations(header):
    """What cffi reads of a header: no directives, and no block for C++."""
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", header, flags=re.DOTALL)
    return re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)


def main():
    header, module = sys.argv[1:]
    with open(header, encoding="utf-8") as file:
        text = declarations(file.read())
    builder = cffi.FFI()
    builder.cdef(text)
    builder.set_source("assay._binding", None)
    builder.emit_python_code(module)


main()
