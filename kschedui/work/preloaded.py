"""Loaded by the server from which worker processes are forked: all code that they run, and no threads."""

import gc
import os
from importlib import import_module

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kschedui.settings")
django.setup()
for module in settings.WORK_MODULES:
    import_module(module)
gc.collect()
gc.freeze()  # so that collecting garbage does not copy what processes share
