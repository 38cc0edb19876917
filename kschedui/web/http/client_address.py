"""The address by which visitors are counted."""

from ipaddress import IPv6Address, ip_address

from kschedui.web.http.asgi_types import Scope


def client_of(address: str) -> str:
    """Return an IPv4 address, or the first 64 bits of an IPv6 address (one customer's); otherwise "unknown"."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or IPv6Address(int(ip) >> 64 << 64))
    return str(ip)


def client_of_scope(scope: Scope) -> str:
    """Return the address of a connection as `client_of` does."""
    return client_of((scope.get("client") or [""])[0])
