"""`manage.py makemessages`: Django's, which also finds the engine's sentences."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """`Message("...")` marks a sentence too. No guesses: what is new stays empty, and a test names it."""

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Message", "--no-location", "--no-wrap"]
    msguniq_options = [*makemessages.Command.msguniq_options, "--no-location", "--no-wrap"]
    msgmerge_options = [
        *makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--no-location", "--no-wrap",
    ]  # fmt: skip
    msgattrib_options = [*makemessages.Command.msgattrib_options, "--no-location", "--no-wrap"]
