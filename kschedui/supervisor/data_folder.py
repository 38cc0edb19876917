"""The folder of one running instance: the SQLite file, the lock, the development secret key."""

import errno
import fcntl
import os
import secrets
from pathlib import Path

from .errors import StartError


class DataFolder:
    """A data folder, created if absent and locked until `close` or the end of the process. Raises StartError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            self.logs = path / "log"
            self.logs.mkdir(exist_ok=True)
        except OSError as error:
            raise StartError(f"The data folder {path} cannot be written: {error.strerror}.") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise StartError(f"The data folder {path} cannot be locked: {error.strerror}.") from None
            raise StartError(f"Another kschedui already uses the data folder {path}{self._holder()}.") from None
        os.ftruncate(self._lock, 0)
        os.write(self._lock, f"{os.getpid()}\n".encode())

    def _holder(self) -> str:
        process = os.read(self._lock, 32).decode().strip()
        return f" (process {process})" if process else ""

    def secret_key(self) -> str:
        """Return a random key for development, which only the owner can read. Raises StartError.

        It is stored, so that sessions survive.
        """
        path = self.path / "secret_key"
        try:
            if not path.exists():
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(secrets.token_urlsafe(50))
            return path.read_text()
        except OSError as error:
            raise StartError(f"The data folder {self.path} cannot be written: {error.strerror}.") from None

    def close(self) -> None:
        """Release the lock."""
        os.close(self._lock)
