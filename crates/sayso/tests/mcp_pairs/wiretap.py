"""Stands between an HTTP client and a server, passes every byte on, and keeps the bodies of requests and answers."""

import asyncio

import h11


class Wiretap:
    """Listens on a port of its own; `to` is where it passes everything on to."""

    def __init__(self, to):
        self.to, self.streams, self.server, self.port = to, [], None, 0

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0, limit=1 << 24)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def accept(self, reader, writer):
        kept = (bytearray(), bytearray())
        self.streams.append(kept)
        try:
            up, down = await asyncio.open_connection("127.0.0.1", self.to, limit=1 << 24)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.pump(reader, down, kept[0]), self.pump(up, writer, kept[1]))

    async def pump(self, reader, writer, kept):
        try:
            while data := await reader.read(1 << 16):
                kept += data
                writer.write(data)
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def bodies(self):
        """All bodies of requests, and all of answers, in no order: connections are used as each side likes."""
        asked, answered = [], []
        for sent, got in self.streams:
            lengths = list(parsed(h11.SERVER, bytes(sent)))
            asked += [body for _, body in lengths]
            answered += [body for _, body in parsed(h11.CLIENT, bytes(got), [method for method, _ in lengths])]
        return sorted(filter(None, asked)), sorted(filter(None, answered))


def parsed(role, data, methods=None):
    """The messages of one direction of a connection."""
    methods = list(methods or [])
    while data:
        connection = h11.Connection(role, max_incomplete_event_size=1 << 26)
        if role is h11.CLIENT:
            method = methods.pop(0) if methods else "POST"
            connection.send(h11.Request(method=method, target="/", headers=[("host", "x")]))
            connection.send(h11.EndOfMessage())
        connection.receive_data(data)
        body, method = b"", ""
        while True:
            try:
                event = connection.next_event()
            except h11.RemoteProtocolError:
                # A stream that was cut off when everything ended.
                event = h11.ConnectionClosed()
            if event is h11.NEED_DATA:
                # A body without a length ends with the connection.
                connection.receive_data(b"")
                continue
            if isinstance(event, h11.Request):
                method = event.method.decode()
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)) or event is h11.PAUSED:
                break
        yield method, body
        rest, _ = connection.trailing_data
        if len(rest) >= len(data):
            return
        data = rest
