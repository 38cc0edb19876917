"""Requests to an API server, as by kubectl: kubeconfig, contexts, certificates, tokens, exec plugins.

The client library reads the kubeconfig and manages the connections; responses are read here, since they are pruned
while they arrive, and since many errors of an API server are not JSON.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

if TYPE_CHECKING:
    from kubernetes.client import ApiClient

Manifest = dict[str, Any]

UNAUTHORIZED, FORBIDDEN, NOT_FOUND, GONE, THROTTLED = 401, 403, 404, 410, 429  # of HTTP
CONNECT_SECONDS = 10.0
MAX_CONNECTIONS = 64  # one for each watch
READ_SECONDS = 60.0  # of a response other than a watch
LONGEST_WAIT = 30.0
PAGE = 500  # objects, as kubectl asks for
MAX_TRIES = 6  # of one request that is throttled
LONGEST_ERROR = 300  # characters of an answer that is shown


class Unreachable(Exception):
    """The API server cannot be reached, or the connection was lost."""


class ApiError(Exception):
    """The API server returned an error; `status` is the HTTP status."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class NoClient(Exception):
    """The client library is missing, or the kubeconfig cannot be used."""


class ApiServer:
    """A connection to one API server with one account. Several threads can use it."""

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        self._lock = threading.Lock()  # an exec plugin runs once at a time
        self.host = str(client.configuration.host).rstrip("/")

    @staticmethod
    def of_kubeconfig(context: str | None = None) -> ApiServer:
        """Return the server of a context, by default the current one. Raises NoClient."""
        try:
            from kubernetes import client, config
        except ImportError:
            raise NoClient("reading a cluster needs the package kubernetes: pip install 'kschedui[cluster]'") from None
        try:
            settings = client.Configuration()
            settings.connection_pool_maxsize = MAX_CONNECTIONS
            return ApiServer(
                config.new_client_from_config(context=context, client_configuration=settings, persist_config=False)
            )
        except (config.ConfigException, OSError, ValueError) as error:
            raise NoClient(f"the kubeconfig cannot be used: {error}") from None

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Manifest:
        """Return a response as JSON; waits if the server asks to. Raises ApiError or Unreachable."""
        for _ in range(MAX_TRIES):
            response = self._open(path, query or {}, READ_SECONDS)
            try:
                body = response.read(decode_content=True)
            except Exception as error:
                raise Unreachable(f"the connection to {self.host} was lost: {error}") from error
            finally:
                response.release_conn()
            if response.status == THROTTLED:
                time.sleep(_retry_after(response.headers))
                continue
            if response.status != 200:
                raise _refusal(response.status, body)
            return _json(body)
        raise ApiError(THROTTLED, "TooManyRequests", f"{self.host} goes on answering {path} with Too Many Requests")

    def pages(self, path: str, limit: int = PAGE) -> Iterator[Manifest]:
        """Yield the pages of a list. Raises ApiError or Unreachable."""
        query: dict[str, str | int] = {"limit": limit}
        while True:
            page = self.get(path, query)
            yield page
            token = (page.get("metadata") or {}).get("continue")
            if not token:
                return
            query = {"limit": limit, "continue": token}

    def watch(self, path: str, resource_version: str, timeout_seconds: int) -> Iterator[Manifest]:
        """Yield the events of a watch, including bookmarks, until the server closes it properly.

        Raises ApiError, also for an ERROR event, and Unreachable when the connection is lost.
        """
        query: dict[str, str | int] = {
            "watch": 1,
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": timeout_seconds,
        }
        response = self._open(path, query, timeout_seconds + READ_SECONDS)
        try:
            if response.status != 200:
                if response.status == THROTTLED:
                    time.sleep(_retry_after(response.headers))
                raise _refusal(response.status, _body(response))
            for line in _lines(response, self.host):
                event = _json(line)
                if event.get("type") == "ERROR":
                    status = event.get("object") or {}
                    raise ApiError(
                        int(status.get("code") or 500), status.get("reason") or "", status.get("message") or ""
                    )
                yield event
        finally:
            response.close()

    def _open(self, path: str, query: Mapping[str, str | int], read_seconds: float) -> Any:
        import urllib3

        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "kschedui"}
        with self._lock:
            token = self._client.configuration.get_api_key_with_prefix("BearerToken", alias="authorization")
        if token:
            headers["Authorization"] = token
        address = f"{self.host}{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            return self._client.rest_client.pool_manager.request(
                "GET",
                address,
                headers=headers,
                preload_content=False,
                retries=False,
                timeout=urllib3.Timeout(connect=CONNECT_SECONDS, read=read_seconds),
            )
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"{self.host} does not answer: {error}") from error


def _lines(response: Any, host: str) -> Iterator[bytes]:
    """Yield whole lines as they arrive. Raises Unreachable if the connection ends without the last chunk."""
    import urllib3

    rest = b""
    try:
        for block in response.stream(decode_content=True):
            *lines, rest = (rest + block).split(b"\n")
            yield from (line for line in lines if line.strip())
    except urllib3.exceptions.HTTPError as error:
        raise Unreachable(f"the connection to {host} was lost: {error}") from error


def _body(response: Any) -> bytes:
    """Return the body of a response; b"" if the connection is lost."""
    try:
        body: bytes = response.read(decode_content=True)
    except Exception:
        return b""
    return body


def _json(text: bytes) -> Manifest:
    try:
        data = json.loads(text)
    except ValueError:
        raise Unreachable(f"the answer is not JSON: {text[:80].decode(errors='replace')}") from None
    if not isinstance(data, dict):
        raise Unreachable(f"the answer is not an object: {text[:80].decode(errors='replace')}")
    return data


def _refusal(status: int, body: bytes) -> ApiError:
    """Return the error of a response: the message of its Status object, or its text if it is none."""
    try:
        data = json.loads(body)
        return ApiError(status, str(data.get("reason") or ""), str(data.get("message") or data))
    except (ValueError, AttributeError):
        return ApiError(status, "", body.decode(errors="replace").strip()[:LONGEST_ERROR] or f"HTTP {status}")


def _retry_after(headers: Mapping[str, str]) -> float:
    try:
        return min(max(float(headers.get("Retry-After") or 1), 0.1), LONGEST_WAIT)
    except ValueError:
        return 1.0
