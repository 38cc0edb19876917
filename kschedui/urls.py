"""Every HTTP address, and every websocket address, of the project."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponseRedirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView
from django.views.i18n import set_language

from kschedui.web.api.v1 import api
from kschedui.web.http import addresses
from kschedui.web.http.health import alive, ready
from kschedui.web.http.metrics import metrics
from kschedui.web.live.class_consumer import ClassConsumer
from kschedui.web.live.consumers import RunConsumer
from kschedui.web.pages import api_page, decoding, downloads, releases, uploads, views
from kschedui.web.pages.analysis import (
    autoscaling,
    capacity,
    compare,
    experiments,
    operations,
    pending,
    replaying,
    texts,
)
from kschedui.web.pages.page_view import not_found
from kschedui.web.pages.people import account_page, shares, sso
from kschedui.web.pages.people import accounts as account_views
from kschedui.web.pages.teaching import challenges, classes, courses, handout, speaker

addresses.register()


def favicon(request: HttpRequest) -> HttpResponseRedirect:
    """Redirect the favicon that browsers request on pages without one, such as the admin's."""
    return HttpResponseRedirect(static("favicon.svg"))


scenario_urls: list[URLPattern | URLResolver] = [
    path("", views.newest, name="scenario"),
    path("edit/", views.edit, name="scenario-edit"),
    path("fork/", views.fork, name="scenario-fork"),
    path("settings", account_views.settings, name="scenario-settings"),
    path("shares", shares.share, name="scenario-share"),
    path("shares/<n:share>/end", shares.end, name="scenario-share-end"),
    path("delete", account_views.delete, name="scenario-delete"),
    path("restore", account_views.restore, name="scenario-restore"),
    path("diff/<n:a>/<n:b>/", texts.compare_versions, name="scenario-diff"),
    path("v/<n:number>/", views.version, name="version"),
    path("v/<n:number>/run/", views.run_again, name="version-run"),
    path("handout", handout.newest, name="scenario-handout"),
    path("v/<n:number>/handout", handout.version, name="handout"),
    path("v/<n:number>/speaker", speaker.show, name="speaker"),
    path("v/<n:number>/class", classes.start, name="class-start"),
    path("v/<n:number>/challenge/", challenges.show, name="challenge"),
    path("v/<n:number>/releases/", releases.across, name="version-releases"),
    path("v/<n:number>/pending/", pending.pending, name="pending"),
    path("v/<n:number>/replay/", replaying.replay, name="replay"),
    path("v/<n:number>/capacity/", capacity.capacity, name="capacity"),
    path("v/<n:number>/operations/", operations.operations, name="operations"),
    path("v/<n:number>/autoscaling/", autoscaling.autoscaling, name="autoscaling"),
    path("v/<n:number>/autoscaling/comparison/", autoscaling.comparison, name="autoscaling-comparison"),
    path("v/<n:number>/experiments/", experiments.plan_page, name="experiments"),
    path("v/<n:number>/scenario.yaml", downloads.scenario_yaml, name="scenario-yaml"),
    path("v/<n:number>/events.jsonl", downloads.events_lines, name="events"),
    path("v/<n:number>/decisions.jsonl", downloads.decision_lines, name="decisions"),
    path("v/<n:number>/trace.json", downloads.perfetto_trace, name="perfetto"),
    path("v/<n:number>/picture.svg", downloads.picture_svg, name="picture"),
    path("v/<n:number>/picture.png", downloads.picture_png, name="picture-png"),
    path("v/<n:number>/qr.svg", downloads.qr_svg, name="qr"),
]

class_urls: list[URLPattern | URLResolver] = [
    path("", classes.join, name="class-join"),
    path("<id:code>/", classes.show, name="class"),
    path("<id:code>/challenge/", challenges.in_class, name="class-challenge"),
    path("<id:code>/next", classes.go_on, name="class-next"),
    path("<id:code>/words", classes.words, name="class-words"),
    path("<id:code>/qr.svg", classes.qr_svg, name="class-qr"),
    path("<id:code>/answers.csv", classes.answers_csv, name="class-answers"),
]

account_urls: list[URLPattern | URLResolver] = [
    path("", account_page.account, name="account"),
    path("sso/", sso.log_in, name="sso"),
    path("sso/callback", sso.callback, name="sso-callback"),
    path("tokens/<n:pk>/revoke", account_page.revoke, name="token-revoke"),
    path("sessions/<n:pk>/end", account_page.end_session, name="session-end"),
    path("sessions/end", account_page.end_other_sessions, name="sessions-end"),
    path("password", account_page.change_password, name="password"),
    path("login/", account_views.log_in, name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("signup/", account_views.signup, name="signup"),
    path("mine/", account_views.mine, name="mine"),
    path("mine/runs/<id:rid>/delete", account_views.delete_run, name="run-delete"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.home, name="home"),
    path("new/", views.new, name="new"),
    path("names/", views.names, name="names"),
    path("challenges/", challenges.listed, name="challenges"),
    path("library/<slug:slug>/", views.lesson, name="library"),
    path("s/<id:sid>/", include(scenario_urls)),
    path("c/", include(class_urls)),
    path("embed/<id:sid>/v/<n:number>/", views.embed_page, name="embed"),
    path("courses/new/", courses.new, name="course-new"),
    path("courses/cka/", courses.show_cka, name="course-cka"),
    path("courses/<id:cid>/", courses.show, name="course"),
    path("courses/<id:cid>/handout", handout.course, name="course-handout"),
    path("courses/<id:cid>/edit/", courses.edit, name="course-edit"),
    path("courses/<id:cid>/delete", courses.delete, name="course-delete"),
    path("decode/", decoding.page, name="decode"),
    path("compare/<id:a>/<n:m>/<id:b>/<n:n>/", compare.compare, name="compare"),
    path("experiments/", experiments.example, name="experiments-example"),
    path("experiments/<id:eid>/", experiments.experiment_page, name="experiment"),
    path("compare/<id:a>/<n:m>/<id:b>/<n:n>/text/", texts.compare_scenarios, name="compare-text"),
    path("compare/<id:a>/<n:m>/<id:b>/<n:n>/seed", compare.seed, name="compare-seed"),
    path("uploads/<id:uid>/", uploads.show, name="upload"),
    path("plugins/<name:name>/", views.plugin, name="plugin"),
    path("releases/", releases.changes, name="releases"),
    path("releases/example", releases.example, name="release-example"),
    path("claim/<str:token>/", account_views.claim, name="claim"),
    path("accounts/", include(account_urls)),
    path("api/v1/docs", api_page.documentation, name="api-docs"),
    path("api/v1/", RedirectView.as_view(pattern_name="api-docs")),
    path("api/v1/", api.urls),
    re_path("^api/", not_found),
    path("language", set_language, name="set_language"),
    path("healthz", ready, name="health"),
    path("readyz", ready),
    path("livez", alive),
    path("metrics", metrics, name="metrics"),
    path("favicon.ico", favicon),
    path("admin/login/", account_views.admin_login),
    path("admin/", admin.site.urls),
]

websocket_urlpatterns: list[URLPattern] = [
    path("ws/run/", RunConsumer.as_asgi()),
    path("ws/class/", ClassConsumer.as_asgi()),
]

handler404 = "kschedui.web.pages.page_view.not_found"
handler500 = "kschedui.web.pages.page_view.server_error"
handler400 = "kschedui.web.pages.page_view.bad_request"
