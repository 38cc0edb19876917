"""Health checks for containers: exit status 0 if the web server responds, or if the worker's event loop runs.

    python probe.py web PORT
    python probe.py worker FILE      the file that the worker touches every few seconds

Uses only the standard library, since it runs every few seconds.
"""

import http.client
import os
import sys
import time

ALIVE_SECONDS = 30.0
TIMEOUT_SECONDS = 4


def web_answers(port: int, hosts: str) -> bool:
    """Return whether /healthz, requested with the first allowed host name, reports that database and broker respond."""
    host = hosts.split(",")[0].strip().lstrip(".").replace("*", "localhost") or "localhost"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def worker_is_alive(file: str) -> bool:
    """Return whether the file was touched less than ALIVE_SECONDS ago, or ahead of now if the clock was set back."""
    try:
        return abs(time.time() - os.stat(file).st_mtime) < ALIVE_SECONDS
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    kind, argument = sys.argv[1:]
    well = (
        web_answers(int(argument), os.environ.get("ALLOWED_HOSTS", "")) if kind == "web" else worker_is_alive(argument)
    )
    sys.exit(0 if well else 1)
