"""kschedui: see Kubernetes scheduling happen. The Django project and its one app."""

from .celery import app as celery_app

__all__ = ["celery_app"]
