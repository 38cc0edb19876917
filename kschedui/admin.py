"""The admin site: stored objects, without the texts of scenarios."""

from django.contrib import admin

from kschedui.models import Run, Scenario


@admin.register(Scenario)
class ScenarioAdmin(admin.ModelAdmin):
    """Scenarios for administrators, who can hide or delete reported ones."""

    list_display = ("public_id", "title", "visibility", "owner", "slug", "updated", "deleted_at")
    list_filter = ("visibility", "scratch")
    search_fields = ("public_id", "title", "slug")
    raw_id_fields = ("owner", "fork_of")
    readonly_fields = ("public_id", "created", "editor_hash")


@admin.register(Run)
class RunAdmin(admin.ModelAdmin):
    """Runs, with the work of the workers on them, for administrators."""

    list_display = ("public_id", "state", "engine_version", "attempt", "steps", "chunks", "bytes", "lease_until")
    list_filter = ("state", "engine_version")
    search_fields = ("public_id", "version__scenario__public_id")
    raw_id_fields = ("version",)
    readonly_fields = ("public_id", "created")
