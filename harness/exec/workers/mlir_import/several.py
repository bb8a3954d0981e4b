# SPDX-License-Identifier: Apache-2.0
"""A function of several ops, all of which are cases, as one program: op `module` of case lines, which is compiled and
run as a whole.  The function's arguments are its operands, constants are its constants."""
from __future__ import annotations

from typing import Callable

import checks
from module import Function, Node, Value
from words import Unknown

Line = Callable[[Node], str]
TypeName = Callable[..., str]


class Steps:
    def __init__(self, function: Function) -> None:
        self.names = {argument: f"a{index}" for index, argument in enumerate(function.block.arguments)}
        self.texts: list[str] = []
        self.defined = 0

    def define(self, node: Node) -> str:
        """Names for the results of a node."""
        made = []
        for result in node.results:
            self.names[result] = f"v{self.defined}"
            made.append(self.names[result])
            self.defined += 1
        return ",".join(made)

    def name(self, value: Value) -> str:
        """Of its bits: what sees them in another type is no step."""
        source = checks.seen_through(value)
        if source not in self.names:
            raise Unknown("it uses a value that no op and no argument gives")
        return self.names[source]


def module_line(function: Function, ops: list[Node], line_of: Line, type_of: TypeName,
                fail: Callable[[Node, str], Exception]) -> str:  # fmt: skip
    """The program line.  `line_of` is that of one op, `type_of` a type; `fail` says of which op what is wrong."""
    steps = Steps(function)
    returned = function.block.nodes[-1]
    for node in function.block.nodes:
        if node.name in checks.CONSTANTS:
            data = checks.data(node.results[0])
            steps.texts.append(f"{steps.define(node)}=constant({type_of(node.results[0].type)},{data})")
    for node in ops:
        try:
            name, _, rest = line_of(node).partition(" ")
            operands = ",".join(steps.name(value) for value in node.operands)
        except Unknown as error:
            raise fail(node, str(error)) from None
        steps.texts.append(f"{steps.define(node)}={name}({operands}) {rest}")
    results = ",".join(steps.name(value) for value in returned.operands)
    types = "".join(f" {type_of(value.type)}" for value in function.block.arguments)
    made = " ".join(type_of(value.type) for value in returned.operands)
    return f"module steps={{{';'.join(steps.texts)};return({results})}}{types} -> {made}"
