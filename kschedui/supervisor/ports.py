"""TCP ports on this machine."""

import errno
import http.client
import socket
import time
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import urlsplit

from .errors import StartError


def free_port() -> int:
    """Return a loopback port on which nothing listens at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def require_free(host: str, port: int) -> None:
    """Check that the address can be listened on. Raises StartError."""
    if not 0 < port < 65536:
        raise StartError(f"There is no port {port}: they go from 1 to 65535.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} on {host} is taken by another program: stop it, or choose another: make run PORT=8001."
            ) from None
        raise StartError(f"Cannot listen on {host} port {port}: {error.strerror}.") from None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return all(ip_address(str(address[0])).is_loopback for *_, address in addresses)


def answers_tcp(port: int) -> bool:
    """Return whether something listens on this loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def answers_http(url: str) -> bool:
    """Return whether a web server responds at this URL, with any status."""
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=2)
    try:
        connection.request("GET", address.path)
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def wait_until(condition: Callable[[], object], seconds: float) -> bool:
    """Check the condition every 50 ms until it holds, for at most `seconds`. Return whether it did."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
