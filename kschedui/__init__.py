"""kschedui: see Kubernetes scheduling happen. The Django project and its one app."""
