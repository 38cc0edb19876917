"""Django's ASGI handler, with all middleware and the view of a request in one call of one thread.

Django's own handler calls each middleware separately, some twenty calls per request, and each call waits for its turn
in the event loop: a loop that is busy with the sockets of a class would delay a page twenty times. It also starts a
thread for each request, and waits for the end of the thread in the event loop.
"""

from concurrent.futures import ThreadPoolExecutor

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from kschedui.web.http.asgi_types import Receive, Scope, Send

MOST_IDLE = 32  # threads that are kept for the next requests


class OneThreadHandler(ASGIHandler):
    """Calls synchronous middleware and views directly; asynchronous ones would be called through the event loop."""

    def __init__(self) -> None:
        super().__init__()
        self.idle: list[ThreadPoolExecutor] = []  # of one thread each

    def load_middleware(self, is_async: bool = False) -> None:
        """Load the middleware for synchronous calls."""
        super().load_middleware(is_async=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request in a thread that no other request uses meanwhile."""
        thread = self.idle.pop() if self.idle else ThreadPoolExecutor(1, "request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            thread.submit(self.leave, thread)  # a view goes on for a while after its client has gone

    def leave(self, thread: ThreadPoolExecutor) -> None:
        """Keep an idle thread for later requests."""
        if len(self.idle) < MOST_IDLE:
            self.idle.append(thread)
        else:
            thread.shutdown(wait=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """Return the response, from the thread of this request."""
        response: HttpResponseBase = await sync_to_async(self.get_response, thread_sensitive=True)(request)
        return response
