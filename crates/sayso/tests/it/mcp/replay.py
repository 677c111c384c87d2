"""A server that says what a real one said: it follows a recorded session, and ends with 9 if it hears anything but what that one heard."""

import sys

for line in open(sys.argv[1], "rb"):
    mark, text = line[:2], line[2:]
    if mark == b"< ":
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    elif sys.stdin.buffer.readline() != text:
        sys.exit(9)
