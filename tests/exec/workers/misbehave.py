# SPDX-License-Identifier: Apache-2.0
"""A worker that sums f32 correctly, except for the one deed that its argument names.

    python3 misbehave.py execute:die_in_mid_answer
"""
import os
import signal
import struct
import sys
import time

GREETING = b"assay-worker 1\nname misbehave\nversion 1\npromises yes\nmlir no\nready\n"


def say(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def die_in_mid_answer() -> None:
    say(b"ok 4\n\x00\x00")
    os.kill(os.getpid(), signal.SIGKILL)


def answer_too_few_bytes() -> None:
    say(b"ok 4\n\x00\x00")


def announce_too_few_bytes() -> None:
    say(b"ok 3\n\x00\x00\x00")


def announce_too_many_bytes() -> None:
    say(b"ok 18446744073709551620\n")


def answer_too_many_bytes() -> None:
    say(b"ok 4\n" + bytes(5))


def sleep_for_ever() -> None:
    while True:
        time.sleep(1000)


def leave_a_sleeping_child() -> None:
    """The child keeps stdout open: only its death tells Assay that the worker is gone."""
    if os.fork() == 0:
        sleep_for_ever()
    os._exit(3)


def leave_a_daemon() -> None:
    """In a session of its own; it writes its number to the file that the argument names."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.close(0)
            os.close(1)
            with open(sys.argv[2], "a") as file:
                file.write(f"{os.getpid()}\n")
            sleep_for_ever()
        os._exit(0)
    say(b"ok 4\n" + bytes(4))


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def print_to_stdout() -> None:
    say(b"Loading kernels for the first time...\n")


def flood_stdout() -> None:
    while True:
        say(b"x" * 65536)


def flood_stderr() -> None:
    while True:
        sys.stderr.write("y" * 65535 + "\n")


def eat_all_memory() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(b"z" * (1 << 24)))


def raise_an_exception() -> None:
    raise RuntimeError("the lattice is broken")


def answer_another_question() -> None:
    say(b"yes\n")


def answer_with_binary() -> None:
    say(bytes(range(1, 256)) + b"\n")


def close_stdout() -> None:
    os.close(0)
    os.close(1)
    sys.stdout = sys.stderr
    sleep_for_ever()


def refuse_mutely() -> None:
    say(b"failed\n")


def greet_twice() -> None:
    say(GREETING + GREETING)
    sleep_for_ever()


def greet_strangely() -> None:
    say(b"assay-worker 2\nname later\n")
    sleep_for_ever()


def apologise() -> None:
    say(b"assay-worker 1\nfailed needs a licence file\n")
    sys.exit(1)


def leave() -> None:
    print("no module named backend", file=sys.stderr)
    sys.exit(1)


def die_at_second_start() -> None:
    """The argument after the deed is a file that marks that it has started before."""
    marker = sys.argv[2]
    if os.path.exists(marker):
        leave()
    open(marker, "w").close()


def do(deed: str, moment: str) -> bool:
    """Does the deed if it is for this moment; true if it was."""
    when, _, name = deed.partition(":")
    if when == moment:
        globals()[name]()
    return when == moment


def main() -> None:
    deeds = sys.argv[1].split(",")
    for deed in deeds:
        do(deed, "open")
    say(GREETING)
    for line in sys.stdin.buffer:
        words = line.decode().split()
        operands = sys.stdin.buffer.read(int(words[2])) if words[0] == "execute" else b""
        if any([do(deed, words[0]) for deed in deeds]):
            continue
        if words[0] == "execute":
            values = struct.unpack(f"<{len(operands) // 4}f", operands)
            say(b"ok 4\n" + struct.pack("<f", sum(values)))
        elif words[0] == "compile":
            say(b"ok loop\n")
        elif words[0] == "promises":
            say(b"yes\n")
    for deed in deeds:
        do(deed, "end")


main()
