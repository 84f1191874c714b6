"""Configuration of the container image's web server; workers do the long work."""

import os
import tempfile
from typing import Any

# Only for a proxy on this machine. The container image binds to all addresses, because a container
# has a loopback interface of its own.
bind = "127.0.0.1:8000"
# The site judges the headers of proxies (TRUSTED_PROXIES), because it sees their addresses.
forwarded_allow_ips = forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# Requests wait longer for the database than for a core.
workers = int(os.environ.get("WEB_PROCESSES") or 3)
threads = int(os.environ.get("WEB_THREADS") or 4)
# The slowest page takes 2 s at the size of the method's paper and 5 s at 100,000 images; a request
# that takes 30 s is stuck. Threads send long downloads without blocking their process.
timeout = 30
# Longer than an answer waits for SQLite's other writers (20 s), shorter than who stops the server.
graceful_timeout = 25
# As long as the proxy lets an address be, so that a page of the site refuses a long link.
limit_request_line = 8190
# No preload_app: a reload (HUP) would start new processes with the old code. Frozen before the fork,
# three processes would take 333 MiB instead of 432.
# Restarts processes to limit slow memory growth: about once a day for an annotated study.
max_requests = 20_000
max_requests_jitter = 2_000
# No control socket: its folder may not be writable.
control_socket_disable = True
# Requests are logged by the site, without addresses of visitors (text_rankings/site/logs.py).
accesslog = None
# Counts of all web processes (annotate/operations/health/metrics.py).
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="metrics-"))


def child_exit(server: object, worker: Any) -> None:
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # the library has no type for it
