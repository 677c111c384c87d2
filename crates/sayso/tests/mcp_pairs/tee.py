"""Stands between two programs that talk over standard streams, passes every byte on, and writes down what passed: LOG.in, LOG.out, and both
as lines in the order that they came in LOG.all."""

import os
import subprocess
import sys
import threading

log, command = sys.argv[1], sys.argv[2:]
both, turn = open(log + ".all", "ab", buffering=0), threading.Lock()


def copy(source, target, name, mark):
    rest = b""
    with open(f"{log}.{name}", "ab", buffering=0) as kept:
        while data := os.read(source, 1 << 16):
            kept.write(data)
            *lines, rest = (rest + data).split(b"\n")
            with turn:
                both.write(b"".join(mark + line + b"\n" for line in lines))
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(target, view):]
            except BrokenPipeError:
                break
    os.close(target)


child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
threading.Thread(target=copy, args=(0, os.dup(child.stdin.fileno()), "in", b"> "), daemon=True).start()
child.stdin.close()
copy(child.stdout.fileno(), 1, "out", b"< ")
sys.exit(child.wait())
