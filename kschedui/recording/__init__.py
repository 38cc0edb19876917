"""A cluster read through its API server: its objects at one time, or what its scheduler decides while they change.

Only `kschedui import --cluster` and `kschedui record` use it, on the machine of whoever runs them. The web site makes
no outgoing request. Nothing is ever written to the cluster, and neither Secrets nor ConfigMaps are requested.
"""
