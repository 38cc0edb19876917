"""Reads a cluster through its API server: its objects at one time, or the decisions of its scheduler over time.

Used only by `kschedui import --cluster` and `kschedui record`, on the user's machine. The web site makes no outgoing
requests. Nothing is ever written to the cluster, and neither Secrets nor ConfigMaps are requested.
"""
