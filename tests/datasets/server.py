"""A real server that stands for the archive, and the ways in which it fails."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep


class Archive(ThreadingHTTPServer):
    """Answers each path with what was put there, one after another, the last one for ever."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {}
        self.asked = []
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.server_address[1]}/public"

    def put(self, entry, *answers) -> None:
        self.answers[f"/public/{entry.page}/{entry.slug}.zip"] = [*answers]

    def wait_until_asked(self, times: int) -> None:
        """On a busy machine the server may notice a request after the client has given up."""
        end = monotonic() + 30
        while len(self.asked) < times and monotonic() < end:
            sleep(0.01)
        assert len(self.asked) == times

    def handle_error(self, request, client_address) -> None:
        """Be silent: clients that give up are what is tested."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answers = self.server.answers.get(self.path, [404])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if callable(answer):
            answer(self)
        elif isinstance(answer, int):
            self.send_error(answer)
        else:
            self.send(answer)

    def send(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args) -> None:
        pass


def hang(handler) -> None:
    handler.server.over.wait(30)


def drip(handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while not handler.server.over.wait(0.05):
        handler.wfile.write(b"x")


def cut_short(handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"PK")


def hang_up(handler) -> None:
    handler.connection.close()
