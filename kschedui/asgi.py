"""The ASGI application: static files, HTTP to Django, websockets to the consumers after a check of their Origin."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")

from django.core.asgi import get_asgi_application

http_application = get_asgi_application()  # before any import that needs the app registry

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.conf import settings  # noqa: E402

from kschedui.urls import websocket_urlpatterns  # noqa: E402
from kschedui.web.http.body_limit import BodyLimit  # noqa: E402
from kschedui.web.http.request_ids import RequestIds  # noqa: E402
from kschedui.web.http.slow_readers import SlowReaders  # noqa: E402
from kschedui.web.http.static_files import StaticFiles  # noqa: E402
from kschedui.web.live.outlet import Outlets  # noqa: E402
from kschedui.web.live.websocket_origin import SameOrigin  # noqa: E402

MOST = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
BY_PATH = {"/api/v1/import": settings.LIMITS["import_bytes"]}  # a dump is longer than the scenario that it becomes

application = ProtocolTypeRouter(
    {
        "http": StaticFiles(SlowReaders(BodyLimit(RequestIds(http_application), MOST, BY_PATH))),
        "websocket": SameOrigin(Outlets(AuthMiddlewareStack(URLRouter(websocket_urlpatterns)))),
    }
)
