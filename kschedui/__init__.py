"""kschedui shows how Kubernetes schedules pods. The Django project and its only app."""
