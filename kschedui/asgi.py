"""The ASGI application: static files, HTTP through Django, and websockets after an Origin check."""

import gc
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")

import django

django.setup(set_prefix=False)  # before any import that needs the app registry

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings

from kschedui.urls import websocket_urlpatterns
from kschedui.web.http.body_limit import BodyLimit
from kschedui.web.http.client_gone import DisconnectNotice
from kschedui.web.http.file_descriptors import allow_many_connections
from kschedui.web.http.one_thread import OneThreadHandler
from kschedui.web.http.request_ids import RequestIds
from kschedui.web.http.slow_readers import SlowReaders
from kschedui.web.http.static_files import StaticFiles
from kschedui.web.live.direct_writer import DirectWriters
from kschedui.web.live.socket_user import with_user
from kschedui.web.live.websocket_origin import SameOrigin
from kschedui.work import work_pool

# A dump is longer than the scenario that it becomes.
BY_PATH = dict.fromkeys(("/api/v1/import", "/api/v1/scenarios/import"), settings.LIMITS["import_bytes"])

application = ProtocolTypeRouter(
    {
        "http": StaticFiles(
            SlowReaders(BodyLimit(DisconnectNotice(RequestIds(OneThreadHandler())), settings.TEXT_BODY_BYTES, BY_PATH))
        ),
        "websocket": SameOrigin(DirectWriters(with_user(URLRouter(websocket_urlpatterns)))),
    }
)
allow_many_connections()
gc.collect()
gc.set_threshold(20_000, 10, 10)  # requests leave few cycles (web/http/one_thread.py), and everybody waits meanwhile
gc.freeze()  # else a full collection goes through all code and tables: a tenth of a second in which nobody is served
sys.setswitchinterval(0.001)  # else the event loop waits 5 ms for each thread that computes, at each of its turns
work_pool.start_soon()
