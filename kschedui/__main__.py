"""`python -m kschedui`."""

from kschedui.cli.main import run_as_script

run_as_script()
