"""The forms of accounts and of a scenario's settings."""

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from kschedui.models import Scenario
from kschedui.prose import LONGEST_TITLE


class SignupForm(UserCreationForm):
    """A name and a password; no address is asked for, so none can leak."""


class SettingsForm(forms.Form):
    """Name a scenario and say who sees it."""

    title = forms.CharField(
        label=_("Title"), max_length=LONGEST_TITLE, required=False, help_text=_("Empty: the title in its text.")
    )
    visibility = forms.ChoiceField(label=_("Who may see it"))

    def __init__(self, *args: Any, can_be_private: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        words = {"unlisted": _("Everyone with the link"), "public": _("Everyone; it is listed on the first page")}
        if can_be_private:
            words = {"private": _("Only me"), **words}
        choices = [(key, words[key]) for key in Scenario.Visibility.values if key in words]
        self.fields["visibility"].choices = choices  # type: ignore[attr-defined]
