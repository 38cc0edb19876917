"""Django's ASGI handler, with all middleware and the view of a request in one call of its thread.

Django's own gives each middleware calls of its own, some twenty in a request, and each waits for its turn in the event
loop: a loop that is busy with the sockets of a class would delay a page twenty times.
"""

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class OneThreadHandler(ASGIHandler):
    """Calls synchronous middleware and views directly; asynchronous ones would be called through the event loop."""

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for synchronous calls."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response, from the thread of this request."""
        response: HttpResponseBase = await sync_to_async(self.get_response, thread_sensitive=True)(request)
        return response
