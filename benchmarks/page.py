"""Measure the comparison page: its speed for the annotator, and the server's work for an answer.

    python -m benchmarks.page [--screens 200] [--server-screens 600] [--skip-browser]

A generated study of 12 methods on 20 photographs is answered by keyboard in Chromium: from the
confirming key press to the painted next pair, in a large and in a small window; requests and bytes
per screen; size of scripts and styles; memory. Then an image with thousands of boxes is moved. Then
the server is measured alone, on SQLite: answer in, next pair out, with 10 and with 50 methods.
Nothing passes or fails; targets are printed next to the numbers.
"""

import argparse
import gzip
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from . import pages
from .own_site import (
    answers,
    chromium,
    free_port,
    gunicorn,
    make_annotators,
    make_study,
    own_site,
    percentile,
    print_line,
    sign_in,
    signed_in,
)

_METHODS, _IMAGES = 12, 20
_CROWD = 4000
_WINDOW, _TELEPHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
_KEYS = {
    "recall": {"left": "1", "equal": "2", "right": "3"},
    "precision": {"left": "q", "equal": "w", "right": "e"},
    "preference": {"left": "a", "equal": "s", "right": "d"},
}
_MEMORY_EVERY = 40
_WARM_UP = 20
# Records when a key press confirms and when the next pair has been painted.
_STOPWATCH = """() => {
  const form = document.querySelector("[data-answer]");
  window.measured = [];
  let pressed = null;
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") pressed = event.timeStamp;
  }, true);
  new MutationObserver(() => requestAnimationFrame(() => {
    const painted = new MessageChannel();
    painted.port1.onmessage = () => window.measured.push(performance.now() - pressed);
    painted.port2.postMessage(null);
  })).observe(form, { attributes: true, attributeFilter: ["data-screen-id"] });
  const root = document.querySelector("[data-screen]");
  window.seen = [];
  new MutationObserver(() => {
    if (root.hasAttribute("data-seen") && pressed !== null) window.seen.push(performance.now() - pressed);
  }).observe(root, { attributes: true, attributeFilter: ["data-seen"] });
}"""
# Records when both results are painted over the photograph, from the click or the address that
# requested them.
_FIRST = """() => new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-screen][data-seen]")) return;
  window.firstPair ??= performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-seen"] })"""
# Bits per second and round trip in ms: a usual line, and a slow one.
_LINE, _SLOW_LINE = (10_000_000, 40), (400_000, 300)
_SLOW_SCREENS, _PACE_MS = 12, 6000
_SHOWN = """() => ({
  image: document.querySelector("[data-image-number]").textContent,
  boxes: ["left", "right"].map((side) => document.querySelectorAll(
    `[data-pane=${side}] [data-boxes] g:first-child polygon`).length),
  asked: [...document.querySelectorAll("fieldset[data-criterion]:not([data-implied])")]
    .map((question) => question.dataset.criterion),
})"""
# Moves the picture of the left pane for two seconds and counts the frames.
_MOVE = """() => new Promise((done) => {
  const picture = document.querySelector("[data-pane=left] .pane__picture");
  const fire = (type, x) => picture.dispatchEvent(new PointerEvent(type,
    { pointerId: 1, clientX: x, clientY: 300, button: 0, isPrimary: true, bubbles: true }));
  picture.setPointerCapture = () => {};
  const times = [];
  const step = (time) => {
    times.push(time);
    fire("pointermove", 200 + 60 * Math.sin(times.length / 5));
    if (time - times[0] < 2000) requestAnimationFrame(step);
    else {
      fire("pointerup", 200);
      done((times.length - 1) / ((time - times[0]) / 1000));
    }
  };
  fire("pointerdown", 200);
  requestAnimationFrame(step);
})"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--screens", type=int, default=200, help="screens answered in the browser")
    parser.add_argument(
        "--server-screens", type=int, default=600, help="for each number of methods"
    )
    parser.add_argument("--skip-browser", action="store_true", help="the server alone")
    options = parser.parse_args(arguments)
    with (
        TemporaryDirectory(prefix="benchmark-") as static,
        own_site(DEBUG="false", STATIC_ROOT=static) as site,
    ):
        if not options.skip_browser:
            _browser(site, options.screens)
        for n_methods in (10, 50):
            _server(n_methods, options.server_screens)
        _server(10, options.server_screens // 2, methods_per_visit=2)


def _opened(browser: Any, address: str, session: str, window: dict[str, int] = _WINDOW) -> Any:
    return signed_in(browser, address, session, viewport=window)


def _times(values: Sequence[float]) -> str:
    return f"{median(values):.1f} / {percentile(values, 0.95):.1f} ms"


def _browser(site: Any, n_screens: int) -> None:
    from django.core.management import call_command

    # Scripts and styles as a server sends them.
    call_command("collectstatic", interactive=False, verbosity=0)
    study = make_study(_METHODS, _IMAGES, photographs=True)
    pairs = make_study(
        _METHODS, max(n_screens // 2, _SLOW_SCREENS) + 2, photographs=True, methods_per_visit=2
    )
    crowded = make_study(2, 1, n_words=_CROWD)
    [annotator, small] = make_annotators(study, 2)
    [other] = make_annotators(crowded, 1)
    [third, fourth] = make_annotators(pairs, 2)
    sessions = map(sign_in, (small, other, third, fourth))
    small_session, other_session, pairs_session, slow_session = sessions
    session, port = sign_in(annotator), free_port()
    address = f"http://127.0.0.1:{port}"
    with site.served(gunicorn(port, "--workers", "2"), port), chromium() as browser:
        context = _opened(browser, address, session)
        page = context.new_page()
        print(f"In the browser: {_METHODS} methods, {_IMAGES} photographs, {n_screens} screens")
        _answer_by_keyboard(page, f"{address}/judge/{study.slug}/", n_screens)
        _first_pair(browser, address, f"/judge/{study.slug}/", session)
        print("The same in a window of 390 x 844, where a key shows the other result")
        telephone = _opened(browser, address, small_session, _TELEPHONE)
        _answer_by_keyboard(telephone.new_page(), f"{address}/judge/{study.slug}/", n_screens)
        telephone.close()
        context.add_cookies([{"name": "sessionid", "value": pairs_session, "url": address}])
        print(f"The same, one pair an image, {n_screens // 2} screens")
        # No annotator answers before the next image has arrived, which takes a fraction of a
        # second.
        _answer_by_keyboard(page, f"{address}/judge/{pairs.slug}/", n_screens // 2, pause_ms=500)
        slow = _opened(browser, address, slow_session)
        _slow_line(slow.new_page(), f"{address}/judge/{pairs.slug}/")
        slow.close()
        context.add_cookies([{"name": "sessionid", "value": other_session, "url": address}])
        _move_many_boxes(page, f"{address}/judge/{crowded.slug}/")


def _answer_by_keyboard(page: Any, url: str, n_screens: int, pause_ms: int = 0) -> None:
    weights: dict[str, list[tuple[int, int]]] = {"script": [], "stylesheet": []}
    page.goto(url)
    responses: dict[str, Any] = {}

    def heard(response: Any) -> None:
        responses.setdefault(response.url, response)

    page.on("response", heard)
    page.get_by_role("button", name="Start").click()
    page.locator("[data-open-skip]").wait_for()
    page.wait_for_load_state("networkidle")
    for response in responses.values():
        kind = response.request.resource_type
        if kind in weights:
            body = response.body()
            weights[kind].append((len(body), len(gzip.compress(body, 9))))
    page.remove_listener("response", heard)

    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    sizes: dict[str, int] = {}
    traffic: list[tuple[str, str, str]] = []
    cdp.on(
        "Network.requestWillBeSent",
        lambda event: traffic.append(
            (event["requestId"], event["request"]["method"], event["request"]["url"])
        ),
    )
    cdp.on(
        "Network.loadingFinished",
        lambda event: sizes.update({event["requestId"]: int(event["encodedDataLength"])}),
    )
    page.evaluate(_STOPWATCH)
    within, between, seen, memory, strange = [], [], [], [], []
    answer_bytes: list[int] = []
    other_bytes = 0
    for number in range(n_screens):
        if number % _MEMORY_EVERY == _WARM_UP:
            memory.append((number, *_memory(cdp)))
        shown = page.evaluate(_SHOWN)
        if page.locator("[data-one]").count():
            page.keyboard.press("c")
        # An answer counts only after both results were shown.
        page.locator("[data-screen][data-seen]").wait_for()
        page.wait_for_timeout(pause_ms)
        traffic.clear()
        _answer(page, shown)
        page.wait_for_function("n => window.measured.length > n", arg=number, polling=5)
        after = page.evaluate(_SHOWN)
        is_within = after["image"] == shown["image"]
        (within if is_within else between).append(page.evaluate("() => window.measured.at(-1)"))
        if not is_within and not page.locator("[data-one]").count():
            # Both results count as seen once they are painted over the photograph.
            page.locator("[data-screen][data-seen]").wait_for()
            seen.append(page.evaluate("() => window.seen.at(-1)"))
        # Early and late requests of the page belong to this screen as well.
        page.wait_for_timeout(30)
        for identity, method, _ in traffic:
            if method == "POST" and is_within:
                answer_bytes.append(sizes.get(identity, 0))
            elif is_within:
                other_bytes += sizes.get(identity, 0)
        others = [url for _, method, url in traffic if method != "POST"]
        if len(traffic) != 1 and is_within:
            strange.append(others)
    memory.append((n_screens, *_memory(cdp)))
    if within:
        print_line("confirm to next pair painted, median / p95", _times(within), "40 / 60 ms")
        alone = len(within) - len(strange)
        print_line("screens with the POST as their only request", f"{alone} of {len(within)}")
    if between:
        print_line("the same where the image changes", _times(between))
    if seen:
        print_line("  until its photograph and boxes are seen", _times(seen))
    for others in strange[:3]:
        print_line("  besides", ", ".join(urlsplit(url).path for url in others))
    if answer_bytes:
        found = f"{median(answer_bytes):,.0f} / {max(answer_bytes):,}"
        print_line("bytes of an answer's response, median / most", found)
    print_line("bytes fetched in advance, all screens", f"{other_bytes:,}")
    for kind, target in (("script", "< 60 kB"), ("stylesheet", "< 40 kB")):
        plain, packed = (sum(column) / 1000 for column in zip(*weights[kind], strict=True))
        print_line(
            f"{kind}s, {len(weights[kind])} files", f"{plain:.1f} kB, gzip {packed:.1f} kB", target
        )
    for number, heap, nodes in (memory[0], memory[-1]):
        print_line(
            f"memory after {number} screens", f"{heap / 1e6:.2f} MB, {nodes} nodes", "no growth"
        )


def _first_pair(browser: Any, site: str, path: str, session: str, n: int = 5) -> None:
    """Open the page as a new user does, with an empty cache, on a slow connection."""
    times = []
    for _ in range(n):
        context = _opened(browser, site, session)
        context.add_init_script(f"({_FIRST})()")
        page = context.new_page()
        _limit(page, *_LINE)
        page.goto(f"{site}{path}")
        page.wait_for_function("() => window.firstPair")
        times.append(page.evaluate("() => window.firstPair"))
        context.close()
    print_line("first pair at 10 Mbit/s and 40 ms, median", f"{median(times):.0f} ms", "1000 ms")


def _limit(page: Any, bits_per_second: float, round_trip_ms: float) -> None:
    """Let the page's requests be as slow as on such a line."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    line = dict.fromkeys(("downloadThroughput", "uploadThroughput"), bits_per_second / 8)
    conditions = {"offline": False, "latency": round_trip_ms, **line}
    cdp.send("Network.emulateNetworkConditions", conditions)


def _slow_line(page: Any, url: str) -> None:
    """Answer one pair an image at a usual pace on a slow line."""
    page.goto(url)
    page.get_by_role("button", name="Start").click()
    page.locator("[data-screen][data-seen]").wait_for()
    _limit(page, *_SLOW_LINE)
    page.evaluate(_STOPWATCH)
    times = []
    for _ in range(_SLOW_SCREENS):
        page.wait_for_timeout(_PACE_MS)
        before = page.evaluate("() => window.seen.length")
        _answer(page, page.evaluate(_SHOWN))
        page.wait_for_function("n => window.seen.length > n", arg=before, polling=20)
        times.append(page.evaluate("() => window.seen.at(-1)"))
    found = f"{median(times):.0f} / {max(times):.0f} ms"
    print_line("confirm to seen at 400 kbit/s, median / most", found, "1000 ms")


def _answer(page: Any, shown: dict[str, Any]) -> None:
    left, right = shown["boxes"]
    verdict = "equal" if left == right else "left" if left > right else "right"
    for criterion in shown["asked"]:
        page.keyboard.press(_KEYS[criterion][verdict])
    page.keyboard.press("Enter")


def _move_many_boxes(page: Any, url: str) -> None:
    page.goto(url)
    page.get_by_role("button", name="Start").click()
    page.locator("[data-open-skip]").wait_for()
    page.keyboard.press("+")
    left, right = page.evaluate(_SHOWN)["boxes"]
    print_line(
        f"frames while {left} + {right} boxes move", f"{page.evaluate(_MOVE):.0f} per second"
    )


def _memory(cdp: Any) -> tuple[int, int]:
    """Return the bytes of JavaScript and the number of DOM nodes, after garbage collection."""
    cdp.send("HeapProfiler.collectGarbage")
    used = cdp.send("Runtime.getHeapUsage")["usedSize"]
    return int(used), int(cdp.send("Memory.getDOMCounters")["nodes"])


def _server(n_methods: int, n_screens: int, **settings: Any) -> None:
    """Answer through the full stack of one process: middleware, session, form, service, JSON."""
    from django.test import Client

    from annotate.judging import services
    from annotate.judging.presentation import payload

    n_images = n_screens + 1 if settings else max(4, 1200 // n_methods // 3)
    study = make_study(n_methods, n_images, **settings)
    [annotator] = make_annotators(study, 1)
    client = Client(headers={"host": "127.0.0.1", "accept": "application/json"})
    client.cookies["sessionid"] = sign_in(annotator)
    found = services.start(study=study, annotator=annotator)
    shown = payload(found.turn, found.remaining)
    requests = [request for request, _ in answers(client, shown, n_screens)]
    times = [request.ms for request in requests]
    n_queries = [len(request.queries) for request in requests]
    asked = ", one pair an image" if settings else ""
    print(f"The server: {n_methods} methods, {len(times)} screens{asked}, SQLite")
    print_line("answer to next, median / p95", _times(times), "median 15 ms")
    print_line("the slowest", f"{max(times):.0f} ms")
    print_line(
        "queries, median / p95 / most",
        f"{median(n_queries):.0f} / {percentile(n_queries, 0.95)} / {max(n_queries)}",
        "at most 12",
    )


if __name__ == "__main__":
    pages.run(main)
