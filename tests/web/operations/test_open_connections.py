"""A web process can have more connections than a shell's limit, which a single class would use up."""

import resource
import subprocess
import sys

from kschedui.web.http.file_descriptors import WANTED
from tests.conftest import ROOT

PRINTED = "import resource, kschedui.asgi; print(*resource.getrlimit(resource.RLIMIT_NOFILE))"


def test_a_web_process_raises_the_limit_of_a_shell() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = min(1024, hard if hard != resource.RLIM_INFINITY else 1024)
    command = ["sh", "-c", f'ulimit -Sn {most // 2}; exec "$0" -c "$1"', sys.executable, PRINTED]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    soft, _ = map(int, printed.split())
    assert soft in (WANTED, hard)
