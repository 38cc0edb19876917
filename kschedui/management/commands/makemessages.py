"""`manage.py makemessages`: extends Django's command with the engine's messages."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Collects `Message("...")` too. New entries stay empty instead of fuzzy, and a test reports them.

    Entries are sorted by their text, so that code that moves from file to file does not move them.
    """

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Message", "--no-location", "--no-wrap"]
    msguniq_options = [*makemessages.Command.msguniq_options, "--no-location", "--no-wrap"]
    msgmerge_options = [
        *makemessages.Command.msgmerge_options, "--no-fuzzy-matching", "--no-location", "--no-wrap",
    ]  # fmt: skip
    msgattrib_options = [*makemessages.Command.msgattrib_options, "--no-location", "--no-wrap", "--sort-output"]
