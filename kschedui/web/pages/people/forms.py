"""The forms of accounts and of a scenario's settings."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from kschedui.accounts import tokens
from kschedui.models import Scenario
from kschedui.scenarios.courses import LONGEST_ABOUT
from kschedui.scenarios.prose import LONGEST_TITLE


class SignupForm(UserCreationForm):
    """A name and a password; no address is asked for, so none can leak."""


class SettingsForm(forms.Form):
    """Name a scenario and say who sees it."""

    title = forms.CharField(
        label=_("Title"), max_length=LONGEST_TITLE, required=False, help_text=_("Empty: the title in its text.")
    )
    visibility = forms.ChoiceField(label=_("Who may see it"), choices=Scenario.Visibility.choices)


class CourseForm(forms.Form):
    """A course: what it is called, what it is about, and a link a line."""

    title = forms.CharField(label=_("Title"), max_length=LONGEST_TITLE)
    about = forms.CharField(
        label=_("About"), required=False, max_length=LONGEST_ABOUT, widget=forms.Textarea(attrs={"rows": 3})
    )
    scenarios = forms.CharField(
        label=_("Scenarios"),
        help_text=_("One link a line, in the order in which you teach them: your own, others', or lessons."),
        widget=forms.Textarea(attrs={"rows": 10}),
    )


class TokenForm(forms.Form):
    """Name a token and say what it may do."""

    name = forms.CharField(label=_("Name"), max_length=100, help_text=_("What it is for: you will know it by that."))
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[(tokens.READ, _("read")), (tokens.WRITE, _("write"))],
        initial=[tokens.READ],
        widget=forms.CheckboxSelectMultiple,
    )


class ShareForm(forms.Form):
    """Share a scenario with an account or a group."""

    account = forms.CharField(label=_("Account"), max_length=150, required=False)
    group = forms.ChoiceField(label=_("or group"), required=False)
    may_edit = forms.BooleanField(label=_("May change it too"), required=False)

    def __init__(self, *args: Any, groups: Iterable[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [group.name for group in groups]
        if names:
            self.fields["group"].choices = [("", ""), *((name, name) for name in names)]  # type: ignore[attr-defined]
        else:
            del self.fields["group"]

    def clean(self) -> dict[str, Any]:
        """One of the two."""
        found = {"group": "", **(super().clean() or {})}
        if bool(found.get("account")) == bool(found["group"]):
            raise forms.ValidationError(_("Give the name of an account, or a group."))
        return found
