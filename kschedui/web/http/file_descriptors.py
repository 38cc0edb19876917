"""The number of connections that the operating system lets this process have."""

import resource
from contextlib import suppress

WANTED = 65_536  # file descriptors; each connection has one


def allow_many_connections() -> None:
    """Raise the soft limit on file descriptors, as far as the hard limit allows.

    A shell sets 1,024, which the sockets of a single class use up; a process without a free one accepts no connection.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # the system itself may allow fewer
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
