"""By which address visitors are counted."""

from ipaddress import IPv6Address, ip_address


def client_of(address: str) -> str:
    """An IPv4 address; of IPv6 the first 64 bits, which one customer has for himself. "unknown" for anything else."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return str(found)
