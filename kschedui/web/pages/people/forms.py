"""The forms of accounts and of a scenario's settings."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.forms import SetPasswordForm, UserCreationForm
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from kschedui.accounts import tokens
from kschedui.models import Scenario
from kschedui.scenarios.courses import LONGEST_ABOUT
from kschedui.scenarios.prose import LONGEST_TITLE


class SignupForm(UserCreationForm):
    """A form for a user name and a password; no e-mail address is needed."""

    def keep(self, hashed: str) -> Any:
        """Save the account with its hashed password. If the name has been taken meanwhile, add an error and return
        None.
        """
        self.instance.password = hashed
        try:
            with transaction.atomic():
                self.instance.save()
                return self.instance
        except IntegrityError:
            self.add_error("username", self.instance.unique_error_message(type(self.instance), ["username"]))
            return None


class PasswordForm(SetPasswordForm):
    """A form for the current password, and twice the new one."""

    old_password = forms.CharField(
        label=_("Current password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ("old_password", "new_password1", "new_password2")


class SettingsForm(forms.Form):
    """The name and visibility of a scenario."""

    title = forms.CharField(
        label=_("Title"),
        max_length=LONGEST_TITLE,
        required=False,
        help_text=_("Leave empty to use the title from the text."),
    )
    visibility = forms.ChoiceField(label=_("Visibility"), choices=Scenario.Visibility.choices)


class CourseForm(forms.Form):
    """A course: its title, its description, and one link per line."""

    title = forms.CharField(label=_("Title"), max_length=LONGEST_TITLE)
    about = forms.CharField(
        label=_("About"), required=False, max_length=LONGEST_ABOUT, widget=forms.Textarea(attrs={"rows": 3})
    )
    scenarios = forms.CharField(
        label=_("Scenarios"),
        help_text=_(
            "One link per line, in teaching order. You can add your own scenarios, those of others, and lessons."
        ),
        widget=forms.Textarea(attrs={"rows": 10}),
    )


class TokenForm(forms.Form):
    """The name and permissions of a token."""

    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("What the token is for. The list shows this name.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("Permissions"),
        choices=[(tokens.READ, _("read")), (tokens.WRITE, _("write"))],
        initial=[tokens.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=_("Expires"),
        choices=[("30", _("after 30 days")), ("90", _("after 90 days")), ("365", _("after a year")), ("", _("never"))],
        initial="90",
        required=False,
        coerce=int,
        empty_value=None,
    )


class ShareForm(forms.Form):
    """A share of a scenario with an account or a group."""

    account = forms.CharField(label=_("Account"), max_length=150, required=False)
    group = forms.ChoiceField(label=_("or group"), required=False)
    may_edit = forms.BooleanField(label=_("Can edit"), required=False)

    def __init__(self, *args: Any, groups: Iterable[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = [group.name for group in groups]
        if names:
            groups_field: Any = self.fields["group"]
            groups_field.choices = [("", ""), *((name, name) for name in names)]
        else:
            del self.fields["group"]

    def clean(self) -> dict[str, Any]:
        """Return the data. Raises ValidationError unless there is either an account or a group."""
        data = {"group": "", **(super().clean() or {})}
        if bool(data.get("account")) == bool(data["group"]):
            raise forms.ValidationError(_("Enter the name of an account, or choose a group."))
        return data
