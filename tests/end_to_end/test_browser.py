"""The README's watching, in a real browser, on a page of another origin."""

import json
import queue
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from service.private_redis import PrivateRedis
from tests.matchmaking import create
from tests.serving import RestCaller, Serving

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
README = (Path(__file__).parents[2] / "README.md").read_text()

PAGE = """<!doctype html><script type="module">
%s
const tell = (what) => fetch("/told", { method: "POST", body: JSON.stringify(what) });
try {
  for await (const message of watch(%s, %s, %d)) await tell(message);
  await tell("over");
} catch (refusal) {
  await tell({ refusal: refusal.details?.[0]?.reason ?? String(refusal) });
}
</script>"""

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium on PATH: apt-get install chromium")


class Site:
    """Serves one page, and hears what it tells."""

    def __init__(self) -> None:
        self.page, self.told = "", queue.Queue[Any]()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(site.page.encode() if self.path == "/" else b"")

            def do_POST(self) -> None:
                site.told.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self._answer(b"")

            def log_message(self, *_args: Any) -> None:
                pass

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


@pytest.fixture
def live(redis_server: PrivateRedis, site: Site) -> Iterator[Serving]:
    serving = Serving(redis_server.url, heartbeat="1", cors_origins=site.origin).start()
    yield serving
    serving.stop()


@pytest.fixture
def visit(site: Site, tmp_path: Path) -> Iterator[Any]:
    browsers: list[subprocess.Popen[bytes]] = []

    def open_page(url: str, credential: str, version: int) -> None:
        (code,) = re.findall(r"<!-- page: js -->\n```js\n(.*?)```", README, re.DOTALL)
        site.page = PAGE % (code, json.dumps(url), json.dumps(credential), version)
        assert BROWSER is not None
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={tmp_path}", site.origin]
        browsers.append(subprocess.Popen([BROWSER, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    yield open_page
    for browser in browsers:
        browser.terminate()
        browser.wait(30)


def test_a_page_sees_each_step_as_it_happens_to_the_end(site: Site, live: Serving, visit: Any) -> None:
    caller = RestCaller(live)
    match = create(caller)
    seat = match.credentials[1]
    visit(f"{live.http}/v1/matches/{match.match_id}/events:watch", seat, 0)
    seen = [site.told.get(timeout=60)["update"]]
    match.play("draw")
    seen.append(site.told.get(timeout=30)["update"])
    match.must("ResignSeat", match.credentials[2])
    last = site.told.get(timeout=30)
    seen.append(last["update"])
    assert last["outcome"]["reason"] == "RESIGNATION"
    assert site.told.get(timeout=30) == "over"
    assert seen == match.must("ListEvents", seat)["updates"]
    caller.close()


def test_a_page_is_told_why_it_may_not_watch(site: Site, live: Serving, visit: Any) -> None:
    caller = RestCaller(live)
    match = create(caller)
    visit(f"{live.http}/v1/matches/{match.match_id}/events:watch", match.spectator, 5)
    assert site.told.get(timeout=60) == {"refusal": "VERSION_AHEAD"}
    caller.close()
