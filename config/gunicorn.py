"""How the image's web server runs; long work is for workers."""

import os

bind = "0.0.0.0:8000"
# A request waits for the database more than for a core.
workers = int(os.environ.get("WEB_PROCESSES", "3"))
threads = int(os.environ.get("WEB_THREADS", "4"))
# The slowest page takes 2 s at the size of the method's paper and 5 s at 100,000 images; what is at
# it for 30 s is stuck. Threads send long downloads without holding their process.
timeout = 30
graceful_timeout = 20
# Against slow growth of memory: about once a day for an annotated study.
max_requests = 20_000
max_requests_jitter = 2_000
accesslog = "-"
