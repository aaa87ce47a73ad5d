"""A proxy on loopback, in a thread: what a cut network is to those on both sides of it."""

import socket
import threading
from contextlib import closing, suppress


class Proxy:
    """Forwards connections to a port of this machine, and after `cut` nothing more, without a word."""

    def __init__(self, target):
        self.target = self.free_port() if target is None else target
        self.is_cut = threading.Event()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.held = []  # open ends: nobody hears that they are cut
        threading.Thread(target=self._accept, daemon=True).start()

    @staticmethod
    def free_port():
        """A port that nobody listens at."""
        with closing(socket.create_server(("127.0.0.1", 0))) as probe:
            return probe.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.is_cut.set()
        for end in (self.server, *self.held):
            end.close()

    def cut(self):
        """Forward nothing more."""
        self.is_cut.set()

    def _accept(self):
        with suppress(OSError):
            while True:
                near, _ = self.server.accept()
                self.held.append(near)
                if self.is_cut.is_set():
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
                self.held.append(far)
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source, sink):
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if self.is_cut.is_set():
                    return
                sink.sendall(data)
        if not self.is_cut.is_set():  # the end of a connection is told
            with suppress(OSError):
                sink.shutdown(socket.SHUT_WR)
