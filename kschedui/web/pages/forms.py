"""The forms of accounts and of a scenario's settings."""

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
    visibility = forms.ChoiceField(label=_("Who may see it"), choices=Scenario.Visibility.choices)
