"""A stub of a model's server: chat completions on loopback that answer by a rule, or misbehave."""

import base64
import io
import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from PIL import Image as Picture

LIGHT = (0xFF, 0xE8, 0x66)
CRITERIA = ("recall", "precision", "preference")


def verdict_of(picture: bytes) -> str:
    """The side of a picture of both results with more light pixels of outlines."""
    with Picture.open(io.BytesIO(picture)) as opened:
        light = (np.asarray(opened.convert("RGB")) == LIGHT).all(axis=2)
    width = (light.shape[1] - 16) // 2
    left, right = int(light[:, :width].sum()), int(light[:, width + 16 :].sum())
    return "equal" if left == right else "left" if left > right else "right"


def in_json(verdict: str) -> str:
    return json.dumps(dict.fromkeys(CRITERIA, verdict))


class Stub:
    """Requests so far, and the behaviour: the name of a method, or a list of names in turn.

    ``every``: how many requests in a row are answered well before one is not.
    """

    def __init__(self, behaviour="boxes", seconds=0.0, every=None):
        self.behaviour, self.seconds, self.every = behaviour, seconds, every
        self.requests: list[dict] = []
        self.headers: list[dict] = []
        self.n_connections = 0
        self.of_task: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.url = ""

    def kind(self, n: int) -> str:
        if isinstance(self.behaviour, list):
            return self.behaviour[min(n, len(self.behaviour) - 1)]
        if self.every and (n + 1) % self.every:
            return "boxes"
        return self.behaviour


def pictures_in(sent) -> list[bytes]:
    parts = sent["messages"][0]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls]


class _Handler(BaseHTTPRequestHandler):
    stub: Stub

    def log_message(self, *arguments):
        pass

    def do_POST(self):  # a name of the library
        stub = self.stub
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with stub.lock:
            n = len(stub.requests)
            stub.requests.append(sent)
            stub.headers.append(dict(self.headers))
        time.sleep(stub.seconds)
        assert self.path == "/v1/chat/completions"
        getattr(self, f"_{stub.kind(n)}")(sent)

    def _say(self, text, reason="stop", model=None, refusal=None, fingerprint="fp-1"):
        body = {
            "model": model or "stub-7b",
            "system_fingerprint": fingerprint,
            "choices": [
                {"message": {"content": text, "refusal": refusal}, "finish_reason": reason}
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
        self._give(200, json.dumps(body).encode())

    def _give(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _boxes(self, sent):
        self._say(in_json(verdict_of(pictures_in(sent)[0])))

    def _left(self, sent):
        self._say(in_json("left"))

    def _prose(self, sent):
        self._say("The left result is better in every respect.")

    def _fenced(self, sent):
        self._say(f"I see {{two}} results.\n```json\n{in_json('left')}\n```\nThat is all.")

    def _refusal(self, sent):
        self._say(None, refusal="I cannot help with that.")

    def _filtered(self, sent):
        self._say("", reason="content_filter")

    def _cut_off(self, sent):
        self._say('{"recall": "left", "prec', reason="length")

    def _busy(self, sent):
        self._give(429, b"{}", Retry_After="2")

    def _broken(self, sent):
        self._give(500, b"oops")

    def _dropped(self, sent):
        self.close_connection = True
        self.connection.close()

    def _elsewhere(self, sent):
        self._give(307, b"", Location="http://127.0.0.2:9/v1/chat/completions")

    def _other(self, sent):
        self._say(in_json("left"), model="stub-8b")

    def _long(self, sent):
        self._say("x" * 3_000_000 + in_json("left"))

    def _bytes(self, sent):
        self._give(200, b'{"choices": "\xff\xfe"}')

    def _html(self, sent):
        self._give(200, b"<!doctype html><title>Sign in</title>")

    def _unknown(self, sent):
        key = self.headers.get("Authorization", "")
        self._give(400, json.dumps({"error": {"message": f"no field seed ({key})"}}).encode())


@contextmanager
def model_server(behaviour="boxes", **options):
    """Serve a stub while the block runs."""
    stub = Stub(behaviour, **options)
    handler = type("Handler", (_Handler,), {"stub": stub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None
    stub.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
