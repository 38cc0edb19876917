"""The folder for temporary files of a running system: removed when it stops, or at the next start if it was killed."""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "kschedui-"
LOCK = "lock"  # held while the system runs


class TemporaryFolder:
    """A new folder, which children use as TMPDIR.

    It is not in the data folder, whose path may be longer than the address of a socket (108 characters). Raises
    OSError.
    """

    def __init__(self) -> None:
        remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = os.open(self.path / f"new-{LOCK}", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / f"new-{LOCK}").rename(self.path / LOCK)  # another start never sees it unlocked

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
        self._lock = -1


def remove_abandoned() -> None:
    """Remove the folders of systems that were killed; those of other users stay."""
    for lock in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{LOCK}"):
        try:
            handle = os.open(lock, os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.parent, ignore_errors=True)
        except OSError:  # its system still runs
            pass
        finally:
            os.close(handle)
