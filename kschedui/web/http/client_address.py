"""The address by which visitors are counted."""

from ipaddress import IPv6Address, ip_address


def client_of(address: str) -> str:
    """Return an IPv4 address, or the first 64 bits of an IPv6 address (one customer's); otherwise "unknown"."""
    try:
        ip = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped or IPv6Address(int(ip) >> 64 << 64))
    return str(ip)
