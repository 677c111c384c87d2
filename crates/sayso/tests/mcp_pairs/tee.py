"""Stands between two programs that talk over standard streams, passes every byte on, and writes down what passed: LOG.in and LOG.out."""

import os
import subprocess
import sys
import threading


def copy(source, target, log):
    with open(log, "ab", buffering=0) as kept:
        while data := os.read(source, 1 << 16):
            kept.write(data)
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(target, view):]
            except BrokenPipeError:
                break
    os.close(target)


log, command = sys.argv[1], sys.argv[2:]
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
threading.Thread(target=copy, args=(0, os.dup(child.stdin.fileno()), log + ".in"), daemon=True).start()
child.stdin.close()
copy(child.stdout.fileno(), 1, log + ".out")
sys.exit(child.wait())
