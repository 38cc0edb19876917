"""Replaces its process by the web server, in a container: `python -m kschedui.supervisor.web HOST PORT`."""

import os
import sys

from kschedui.supervisor.commands import web_command

if __name__ == "__main__":
    host, port = sys.argv[1:]
    command = web_command(host, int(port))
    os.execv(command[0], command)  # noqa: S606 - a program and arguments of ours
