"""The forms of accounts and of a scenario's settings."""

from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from kschedui.models import Scenario
from kschedui.scenarios.prose import LONGEST_TITLE


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
        choices = Scenario.Visibility.choices
        offered = [one for one in choices if can_be_private or one[0] != Scenario.Visibility.PRIVATE]
        self.fields["visibility"].choices = offered  # type: ignore[attr-defined]
