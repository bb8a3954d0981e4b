# SPDX-License-Identifier: Apache-2.0
"""Started by the program as an executor: hands its standard input to a socket, and what comes from there to standard output."""

import os
import socket
import sys
import threading


def pump(read, write, close):
    while data := read(1 << 16):
        write(data)
    close()


def write_all(data):
    while data:
        data = data[os.write(1, data) :]


with socket.socket(socket.AF_UNIX) as connection:
    connection.connect(sys.argv[1])
    threading.Thread(
        target=pump,
        daemon=True,
        args=(lambda size: os.read(0, size), connection.sendall, lambda: connection.shutdown(socket.SHUT_WR)),
    ).start()
    pump(connection.recv, write_all, lambda: None)
