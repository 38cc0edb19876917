"""IP addresses and networks in expressions (`k8s.io/apiserver/pkg/cel/library/ip.go`, `cidr.go`; Go's `net/netip`)."""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from scheduler_core.cel.declarations import Function, Library, Overload
from scheduler_core.cel.libraries.quotes import quote
from scheduler_core.cel.types import BOOL, CIDR, INT, IP, STRING
from scheduler_core.cel.values import NO_SUCH_OVERLOAD, Error, Value, register

_Address: TypeAlias = "ipaddress.IPv4Address | ipaddress.IPv6Address"
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


class Ip(msgspec.Struct, frozen=True):
    """An IP address."""

    address: _Address


class Cidr(msgspec.Struct, frozen=True):
    """A network as written: its address may have bits beyond the prefix."""

    address: _Address
    bits: int


class _AddressError(ValueError):
    """An invalid address or network; the message is that of Kubernetes or Go."""


def _parse_ip(text: str) -> _Address:
    """Parse an address. Raises _AddressError with Kubernetes' message."""
    try:
        address = _parse_address(text)
    except _AddressError as error:
        raise _AddressError(f"IP Address {quote(text)} parse error during conversion from string: {error}") from None
    if "%" in text:
        raise _AddressError(f"IP address {quote(text)} with zone value is not allowed")
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise _AddressError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def _parse_address(text: str) -> _Address:
    """Parse an address, and drop its zone. Raises _AddressError with the message of Go's netip.ParseAddr."""
    for letter in text:
        if letter == ".":
            return _parse_ipv4(text)
        if letter == ":":
            return _parse_ipv6(text)
        if letter == "%":
            raise _AddressError(f"ParseAddr({quote(text)}): missing IPv6 address")
    raise _AddressError(f"ParseAddr({quote(text)}): unable to parse IP")


def _parse_ipv4(text: str) -> ipaddress.IPv4Address:
    def wrong(message: str, at: str = "") -> _AddressError:
        return _AddressError(f"ParseAddr({quote(text)}): {message}" + (f" (at {quote(at)})" if at else ""))

    octet, digits = 0, 0
    octets: list[int] = []
    for index, letter in enumerate(text):
        if "0" <= letter <= "9":
            if digits == 1 and octet == 0:
                raise wrong("IPv4 field has octet with leading zero")
            octet, digits = octet * 10 + int(letter), digits + 1
            if octet > 255:
                raise wrong("IPv4 field has value >255")
        elif letter == ".":
            if index == 0 or index == len(text) - 1 or text[index - 1] == ".":
                raise wrong("IPv4 field must have at least one digit", text[index:])
            if len(octets) == 3:
                raise wrong("IPv4 address too long")
            octets.append(octet)
            octet = digits = 0
        else:
            raise wrong("unexpected character", text[index:])
    if len(octets) < 3:
        raise wrong("IPv4 address too short")
    return ipaddress.IPv4Address(bytes([*octets, octet]))


def _parse_ipv6(text: str) -> ipaddress.IPv6Address:
    bare, percent, zone = text.partition("%")
    if percent and not zone:
        raise _AddressError(f"ParseAddr({quote(text)}): zone must be a non-empty string")
    try:
        return ipaddress.IPv6Address(bare)
    except ValueError:
        raise _AddressError(f"ParseAddr({quote(text)}): {_why_not_ipv6(bare)}") from None


def _why_not_ipv6(text: str) -> str:
    """Return the error of Go's netip for an invalid IPv6 address."""
    remaining, fields, ellipsis = text, 0, False
    if remaining.startswith("::"):
        ellipsis, remaining = True, remaining[2:]
        if not remaining:
            return "unable to parse IP"
    while fields < 8:
        digits = re.match(r"[0-9a-fA-F]*", remaining)
        assert digits is not None
        if len(digits[0]) > 4:
            return f"each group must have 4 or less digits (at {quote(remaining)})"
        if not digits[0]:
            return f"each colon-separated field must have at least one digit (at {quote(remaining)})"
        after = remaining[len(digits[0]) :]
        if after.startswith("."):
            if not ellipsis and fields != 6:
                return f"embedded IPv4 address must replace the final 2 fields of the address (at {quote(remaining)})"
            return "too many hex fields to fit an embedded IPv4 at the end of the address"
        fields += 1
        remaining = after
        if not remaining:
            break
        if not remaining.startswith(":"):
            return f"unexpected character, want colon (at {quote(remaining)})"
        if len(remaining) == 1:
            return f"colon must be followed by more characters (at {quote(remaining)})"
        remaining = remaining[1:]
        if remaining.startswith(":"):
            if ellipsis:
                return f"multiple :: in address (at {quote(remaining)})"
            ellipsis, remaining = True, remaining[1:]
            if not remaining:
                break
    if remaining:
        return f"trailing garbage after address (at {quote(remaining)})"
    return "the :: must expand to at least one field of zeros" if ellipsis else "address string too short"


def _parse_cidr(text: str) -> Cidr:
    """Parse a network. Raises _AddressError with Kubernetes' message."""

    def wrong(message: str) -> _AddressError:
        return _AddressError(
            f"network address parse error during conversion from string: netip.ParsePrefix({quote(text)}): {message}"
        )

    written, slash, bits_text = text.rpartition("/")
    if not slash:
        raise wrong("no '/'")
    try:
        address = _parse_address(written)
    except _AddressError as error:
        raise wrong(str(error)) from None
    if "%" in written:
        raise wrong("IPv6 zones cannot be present in a prefix")
    if len(bits_text) > 1 and not "1" <= bits_text[0] <= "9":
        raise wrong(f"bad bits after slash: {quote(bits_text)}")
    if not _DIGITS.fullmatch(bits_text):
        raise wrong(f"bad bits after slash: {quote(bits_text)}")
    bits = int(bits_text[:9])
    if bits > address.max_prefixlen:
        raise wrong("prefix length out of range")
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        raise _AddressError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return Cidr(address, bits)


def _ip(text: Value) -> Value:
    try:
        return Ip(_parse_ip(text))
    except _AddressError as error:
        return Error(str(error))


def _cidr(text: Value) -> Value:
    try:
        return _parse_cidr(text)
    except _AddressError as error:
        return Error(f"network address parse error during conversion from string: {error}")


def _is_canonical(text: Value) -> Value:
    address = _ip(text)
    return str(address.address) == text if type(address) is Ip else address


def _contains_ip(network: Cidr, address: Value) -> Value:
    if type(address) is str:
        address = _ip(address)
    # Kubernetes returns this error for an invalid address.
    if type(address) is not Ip:
        return NO_SUCH_OVERLOAD
    return address.address.version == network.address.version and _masked(address.address, network.bits) == _masked(
        network.address, network.bits
    )


def _contains_cidr(network: Cidr, other: Value) -> Value:
    if type(other) is str:
        other = _cidr(other)
    if type(other) is not Cidr:
        return other
    if other.address.version != network.address.version:
        return False
    bits = min(network.bits, other.bits)
    return _masked(network.address, bits) == _masked(other.address, bits) and network.bits <= other.bits


def _masked(address: _Address, bits: int) -> _Address:
    shift = address.max_prefixlen - bits
    return type(address)(int(address) >> shift << shift)


def _is_global_unicast(address: _Address) -> bool:
    broadcast = isinstance(address, ipaddress.IPv4Address) and int(address) == 0xFFFFFFFF
    return not (
        broadcast or address.is_unspecified or address.is_loopback or address.is_multicast or _is_link_local(address)
    )


def _is_link_local(address: _Address) -> bool:
    return address in ipaddress.ip_network("169.254.0.0/16" if address.version == 4 else "fe80::/10")


def _is_link_local_multicast(address: _Address) -> bool:
    if isinstance(address, ipaddress.IPv4Address):
        return address in ipaddress.ip_network("224.0.0.0/24")
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


def _is_loopback(address: _Address) -> bool:
    return address.is_loopback


def _equal_ip(ip: Ip, other: Value) -> Value:
    return ip == other if type(other) is Ip else (other if type(other) is Error else NO_SUCH_OVERLOAD)


def _equal_cidr(cidr: Cidr, other: Value) -> Value:
    return cidr == other if type(other) is Cidr else (other if type(other) is Error else NO_SUCH_OVERLOAD)


def _text_of_cidr(network: Cidr) -> str:
    return f"{network.address}/{network.bits}"


register(Ip, IP, equal=_equal_ip, size=lambda ip: ip.address.max_prefixlen // 8, text=lambda ip: str(ip.address))
register(Cidr, CIDR, equal=_equal_cidr, size=lambda cidr: math.ceil(cidr.bits / 8), text=_text_of_cidr)


def _ip_predicate(name: str, overload: str, holds: Callable[[_Address], bool]) -> Function:
    return Function(name, (Overload(overload, (IP,), BOOL, True, lambda ip: holds(ip.address)),))


IPS = Library(
    (
        Function("ip", (Overload("string_to_ip", (STRING,), IP, False, _ip),)),
        Function("family", (Overload("ip_family", (IP,), INT, True, lambda ip: ip.address.version),)),
        Function("ip.isCanonical", (Overload("ip_is_canonical", (STRING,), BOOL, False, _is_canonical),)),
        _ip_predicate("isUnspecified", "ip_is_unspecified", lambda address: address.is_unspecified),
        _ip_predicate("isLoopback", "ip_is_loopback", _is_loopback),
        _ip_predicate("isLinkLocalMulticast", "ip_is_link_local_multicast", _is_link_local_multicast),
        _ip_predicate("isLinkLocalUnicast", "ip_is_link_local_unicast", _is_link_local),
        _ip_predicate("isGlobalUnicast", "ip_is_global_unicast", _is_global_unicast),
        Function("isIP", (Overload("is_ip", (STRING,), BOOL, False, lambda text: type(_ip(text)) is Ip),)),
        Function("string", (Overload("ip_to_string", (IP,), STRING, False, lambda ip: str(ip.address)),)),
    )
)
CIDRS = Library(
    (
        Function("cidr", (Overload("string_to_cidr", (STRING,), CIDR, False, _cidr),)),
        Function(
            "containsIP",
            (
                Overload("cidr_contains_ip_string", (CIDR, STRING), BOOL, True, _contains_ip),
                Overload("cidr_contains_ip_ip", (CIDR, IP), BOOL, True, _contains_ip),
            ),
        ),
        Function(
            "containsCIDR",
            (
                Overload("cidr_contains_cidr_string", (CIDR, STRING), BOOL, True, _contains_cidr),
                Overload("cidr_contains_cidr", (CIDR, CIDR), BOOL, True, _contains_cidr),
            ),
        ),
        Function("ip", (Overload("cidr_ip", (CIDR,), IP, True, lambda cidr: Ip(cidr.address)),)),
        Function("prefixLength", (Overload("cidr_prefix_length", (CIDR,), INT, True, lambda cidr: cidr.bits),)),
        Function(
            "masked",
            (
                Overload(
                    "cidr_masked",
                    (CIDR,),
                    CIDR,
                    True,
                    lambda cidr: Cidr(_masked(cidr.address, cidr.bits), cidr.bits),
                ),
            ),
        ),
        Function("isCIDR", (Overload("is_cidr", (STRING,), BOOL, False, lambda text: type(_cidr(text)) is Cidr),)),
        Function("string", (Overload("cidr_to_string", (CIDR,), STRING, False, _text_of_cidr),)),
    )
)
