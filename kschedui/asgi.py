"""The ASGI application: static files, HTTP to Django, websockets to the consumers after a check of their Origin."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")

from django.core.asgi import get_asgi_application

http_application = get_asgi_application()  # before any import that needs the app registry

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings

from kschedui.urls import websocket_urlpatterns
from kschedui.web.http.body_limit import BodyLimit
from kschedui.web.http.request_ids import RequestIds
from kschedui.web.http.slow_readers import SlowReaders
from kschedui.web.http.static_files import StaticFiles
from kschedui.web.live.outlet import Outlets
from kschedui.web.live.websocket_origin import SameOrigin

MOST = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
BY_PATH = {"/api/v1/import": settings.LIMITS["import_bytes"]}  # a dump is longer than the scenario that it becomes

application = ProtocolTypeRouter(
    {
        "http": StaticFiles(SlowReaders(BodyLimit(RequestIds(http_application), MOST, BY_PATH))),
        "websocket": SameOrigin(Outlets(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))),
    }
)
