"""A raw HTTP client: what urllib hides is what is tested here."""

import json
import socket


class Client:
    """One connection. Keeps what it has received beyond the answer that was asked for."""

    def __init__(self, port=None, path=None, receive_buffer=None):
        self.socket = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(10)
        self.socket.connect(str(path) if path else ("127.0.0.1", port))
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text.encode() if isinstance(text, str) else text)

    def _more(self):
        data = self.socket.recv(65536)
        self.buffer += data
        return bool(data)

    def line(self):
        while b"\r\n" not in self.buffer:
            if not self._more():
                raise EOFError(self.buffer)
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line.decode()

    def take(self, size):
        while len(self.buffer) < size:
            if not self._more():
                raise EOFError(self.buffer)
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def rest(self):
        """Everything until the server closes."""
        while self._more():
            pass
        data, self.buffer = self.buffer, b""
        return data

    def closed(self):
        return self.rest() == b""

    def head(self):
        status = int(self.line().split()[1])
        headers = {}
        while line := self.line():
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        return status, headers

    def chunk(self):
        """The next chunk of a chunked body; b"" is the last."""
        data = self.take(int(self.line(), 16))
        self.line()
        return data

    def answer(self):
        status, headers = self.head()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while data := self.chunk():
                body += data
            return status, headers, body
        return status, headers, self.take(int(headers.get("content-length", 0)))

    def get(self, path, method="GET"):
        self.send(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n")
        return self.answer()

    def begin_post(self, path, **fields):
        body = json.dumps(fields)
        self.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}")

    def post(self, path, **fields):
        self.begin_post(path, **fields)
        return self.answer()
