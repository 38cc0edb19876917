"""Settings from the environment, with defaults that work on a new machine.

Production mode (KSCHEDUI_ENV=production, or KSCHEDUI_DEBUG=0) refuses to start without SECRET_KEY.
"""

import os
import sys
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from kschedui.database_url import database_from_url


def flag(name: str, *, default: bool) -> bool:
    """Return whether a setting is on: 1/0, true/false, yes/no, on/off in the environment; the default if it is empty.

    Raises ImproperlyConfigured for anything else.
    """
    text = os.environ.get(name, "").strip().lower()
    if text in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
        return default if text == "" else text in ("1", "true", "yes", "on")
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not {text!r}")


def number(name: str, default: int) -> int:
    """Return a whole number from the environment, or the default. Raises ImproperlyConfigured for anything else."""
    text = os.environ.get(name, "").strip()
    if text == "" or (text.isdecimal() and len(text) < 20):
        return int(text or default)
    raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}")


def words(name: str, default: str = "") -> list[str]:
    """Return a comma-separated list from the environment."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


# --- Mode ---------------------------------------------------------------------------------------------------------
BASE_DIR = Path(__file__).resolve().parent.parent
INSTALLED = (BASE_DIR / "kschedui" / "assets").is_dir()  # from a wheel: there is no work tree around the package
ASSETS = BASE_DIR / "kschedui" / "assets" if INSTALLED else BASE_DIR  # templates, static, locale
ENVIRONMENT = os.environ.get("KSCHEDUI_ENV", "development")
if ENVIRONMENT not in ("development", "production"):
    raise ImproperlyConfigured(f"KSCHEDUI_ENV must be development or production, not {ENVIRONMENT!r}")
DEBUG = flag("KSCHEDUI_DEBUG", default=ENVIRONMENT == "development")
if DEBUG and ENVIRONMENT == "production":
    raise ImproperlyConfigured("KSCHEDUI_DEBUG must not be on with KSCHEDUI_ENV=production")
PRODUCTION = not DEBUG
TESTING = "pytest" in sys.modules

SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("production mode needs SECRET_KEY in the environment: at least 50 random characters")
    SECRET_KEY = "development-only-and-known-to-everyone"  # noqa: S105 - production refuses to start without one
SECRET_KEY_FALLBACKS = words("SECRET_KEY_FALLBACKS")

# --- Where things are ---------------------------------------------------------------------------------------------
USER_DATA = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "kschedui"
DATA_DIR = Path(os.environ.get("KSCHEDUI_DATA_DIR", USER_DATA if INSTALLED else BASE_DIR / "var")).resolve()
DATABASE_URL = os.environ.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'kschedui.sqlite3'}"
REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
METRICS_TOKEN = os.environ.get("KSCHEDUI_METRICS_TOKEN", "")  # that Prometheus sends; empty: no metrics
SITE_URL = os.environ.get("KSCHEDUI_SITE_URL", "").rstrip("/")  # for absolute links; empty: as the request came in

try:
    DATABASES = {"default": database_from_url(DATABASE_URL, number("KSCHEDUI_DATABASE_CONNECTIONS", 20))}
except ValueError as error:
    raise ImproperlyConfigured(str(error)) from None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Application --------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "kschedui",
    "channels",
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]
MIDDLEWARE = [
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "kschedui.web.http.security_headers.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",  # inside of those two: a redirect to TLS has their headers too
    "kschedui.web.http.clean_cookies.CleanCookiesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "kschedui.web.http.session_use.session_use",
    "django.contrib.messages.middleware.MessageMiddleware",
    "kschedui.web.api.v1.ApiAnswers",
]
ROOT_URLCONF = "kschedui.urls"
ASGI_APPLICATION = "kschedui.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ASSETS / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "kschedui.web.http.breakable",
                "kschedui.web.http.module_scripts",
                "kschedui.web.http.site_links",
            ],
        },
    },
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "kschedui.accounts.tokens.EndTokens"},
]

# --- Language and time --------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [ASSETS / "locale"]
USE_I18N = True
TIME_ZONE = "UTC"
USE_TZ = True

# --- Static files: straight from static/ in development, compressed in production; addresses change with files ------
STATIC_URL = "/static/"
STATIC_ROOT = Path(os.environ.get("KSCHEDUI_STATIC_ROOT", (DATA_DIR if INSTALLED else BASE_DIR) / "staticfiles"))
_BUNDLE = Path(os.environ.get("KSCHEDUI_BUNDLE", ASSETS / "build" / "static"))  # made by `npm run bundle`
STATICFILES_DIRS = [*([_BUNDLE] if _BUNDLE.is_dir() and not DEBUG else []), ASSETS / "static"]
WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},  # nothing is uploaded
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING
        else "kschedui.web.http.static_storage.TreeStorage"
        if DEBUG
        else "kschedui.web.http.static_storage.ModuleManifestStorage"
    },
}

# --- Broker, tasks, websockets, cache: one Redis-compatible server ------------------------------------------------
# Unit tests have no broker; what needs one runs in the live stack's own processes.
ALONE = TESTING and not os.environ.get("REDIS_URL")
CELERY_BROKER_URL = "memory://" if ALONE else REDIS_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # A task whose worker was killed outright comes back only after this time, and one that runs longer would be
    # started twice; so it is longer than any run. Runs lost sooner are found by the lease on the run.
    "visibility_timeout": number("KSCHEDUI_VISIBILITY_TIMEOUT_SECONDS", 12 * 3600),
    "global_keyprefix": "kschedui:",
    "socket_keepalive": True,
    # Without a broker, a process that announces work does not wait for it: the work is found in the database.
    "max_retries": 0,
}
CELERY_TASK_DEFAULT_QUEUE = "runs"
CELERY_TASK_ROUTES = {"kschedui.tasks.work_on_experiments": {"queue": "experiments"}}  # whose workers do nothing else
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_STORE_EAGER_RESULT = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200  # so that what a large run left in memory does not stay for ever
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 3  # seconds to finish in, before tasks go back to the broker
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    if ALONE
    else {
        # Publish/subscribe: a message may be lost (it only announces rows), and no blocking pop meets a socket timeout.
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, "health_check_interval": 30}], "prefix": "kschedui"},
    }
}
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    if ALONE
    else {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "kschedui",
        "OPTIONS": {"pool_class": "kschedui.shared_pool.SharedPool"},
    }
}

# --- Runs and their followers -------------------------------------------------------------------------------------
LONG_PLACES = number("KSCHEDUI_LONG_PLACES", 0) or min(4, os.cpu_count() or 1)  # of one worker, for long runs
WORK_PROCESSES = number("KSCHEDUI_WORK_PROCESSES", 0 if TESTING else 2)  # of a web process, for visitors' work
WORK_MODULES = [  # of the functions that do it; its processes load them, with all that they import
    "kschedui.scenarios.across_releases",
    "kschedui.web.api.jobs",
    "kschedui.web.api.routes.what_if.jobs",
    "kschedui.web.pages.analysis.pending_groups",
    "kschedui.web.pages.decoded",
    "kschedui.web.pages.people.passwords",
    "kschedui.web.pages.pictures.drawn",
]
WORK_IDLE_SECONDS = number("KSCHEDUI_WORK_IDLE_SECONDS", 60)  # after which what worked gives its memory back
RUN_LEASE_SECONDS = number("KSCHEDUI_RUN_LEASE_SECONDS", 9)  # a worker that is silent for longer has lost its run
REAPER_SECONDS = number("KSCHEDUI_REAPER_SECONDS", 2)  # between two looks for lost runs
WEBSOCKET_SEND_SECONDS = number("KSCHEDUI_WEBSOCKET_SEND_SECONDS", 8)  # to take one message; then closed as slow

# --- Single sign-on by OpenID Connect: none, unless the operator names a provider -----------------------------------
OIDC_ISSUER = os.environ.get("KSCHEDUI_OIDC_ISSUER", "")
OIDC_RP_CLIENT_ID = os.environ.get("KSCHEDUI_OIDC_CLIENT_ID", "")
OIDC_RP_CLIENT_SECRET = os.environ.get("KSCHEDUI_OIDC_CLIENT_SECRET", "")
OIDC_OP_AUTHORIZATION_ENDPOINT = os.environ.get("KSCHEDUI_OIDC_AUTHORIZATION_ENDPOINT", "")
OIDC_OP_TOKEN_ENDPOINT = os.environ.get("KSCHEDUI_OIDC_TOKEN_ENDPOINT", "")
OIDC_OP_USER_ENDPOINT = os.environ.get("KSCHEDUI_OIDC_USER_ENDPOINT", "")
OIDC_OP_JWKS_ENDPOINT = os.environ.get("KSCHEDUI_OIDC_JWKS_ENDPOINT", "")
OIDC_GROUPS_CLAIM = os.environ.get("KSCHEDUI_OIDC_GROUPS_CLAIM", "")
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_RP_SCOPES = "openid profile"
OIDC_USE_PKCE = True
OIDC_TIMEOUT = 10
OIDC_AUTHENTICATION_CALLBACK_URL = "sso-callback"
AUTHENTICATION_BACKENDS = [
    "kschedui.web.pages.people.passwords.PasswordBackend",
    "django.contrib.auth.backends.ModelBackend",  # of sessions that began earlier; it checks no password
]
if OIDC_ISSUER:
    AUTHENTICATION_BACKENDS.append("kschedui.accounts.single_sign_on.Provider")
    LOGIN_REDIRECT_URL_FAILURE = "/accounts/login/"

# --- Accounts -----------------------------------------------------------------------------------------------------
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = LOGOUT_REDIRECT_URL = "/"

# --- Security -----------------------------------------------------------------------------------------------------
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS")
EMBED_PREFIX = "/embed/"  # pages below may be shown in a frame by any site
CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "worker-src": "'self'",
    "font-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
CSRF_FAILURE_VIEW = "kschedui.web.pages.page_view.forged"
PERMISSIONS_POLICY = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
# Only a deployment without TLS (a trial on localhost, say) has a reason to turn this off.
HTTPS = flag("KSCHEDUI_HTTPS", default=PRODUCTION)
if "*" in words("FORWARDED_ALLOW_IPS"):  # read by uvicorn, which would then trust headers that a visitor wrote
    raise ImproperlyConfigured("FORWARDED_ALLOW_IPS must name the addresses or networks of your proxies, not '*'")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "kschedui_session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "kschedui_csrf"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^metrics$", r"^(healthz|readyz|livez)$"]
SECURE_HSTS_SECONDS = number("KSCHEDUI_HSTS_SECONDS", 365 * 24 * 3600) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = flag("KSCHEDUI_HSTS_SUBDOMAINS", default=False)
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- What a stranger may send -------------------------------------------------------------------------------------
LIMITS = {
    "scenario_bytes": number("KSCHEDUI_MAX_SCENARIO_BYTES", 24 * 1024 * 1024),
    "import_bytes": number("KSCHEDUI_MAX_IMPORT_BYTES", 256 * 1024 * 1024),  # of what a cluster printed, unpacked
    "documents": number("KSCHEDUI_MAX_DOCUMENTS", 60_000),
    "nodes": number("KSCHEDUI_MAX_NODES", 5_000),
    "pods": number("KSCHEDUI_MAX_PODS", 50_000),
    "yaml_values": number("KSCHEDUI_MAX_YAML_VALUES", 1_000_000),
    "yaml_aliases": number("KSCHEDUI_MAX_YAML_ALIASES", 100),
    "yaml_depth": number("KSCHEDUI_MAX_YAML_DEPTH", 50),
    "run_steps": number("KSCHEDUI_MAX_RUN_STEPS", 2_000_000),
    "run_attempts": number("KSCHEDUI_MAX_RUN_ATTEMPTS", 1_000_000),
    "virtual_seconds": number("KSCHEDUI_MAX_VIRTUAL_SECONDS", 20 * 365 * 24 * 3600),  # of a run
    "run_memory_bytes": number("KSCHEDUI_MAX_RUN_MEMORY_BYTES", 3 * 1024 * 1024 * 1024),  # of a worker's process
    "run_seconds": number("KSCHEDUI_MAX_RUN_SECONDS", 900),
    "run_bytes": number("KSCHEDUI_MAX_RUN_BYTES", 256 * 1024 * 1024),  # of its trace
    "preview_steps": number("KSCHEDUI_MAX_PREVIEW_STEPS", 200_000),
    "preview_seconds": number("KSCHEDUI_MAX_PREVIEW_SECONDS", 60),
    "preview_bytes": number("KSCHEDUI_MAX_PREVIEW_BYTES", 32 * 1024 * 1024),
    "short_seconds": number("KSCHEDUI_MAX_SHORT_SECONDS", 5),  # of a run that was expected to be short
    "read_seconds": number("KSCHEDUI_MAX_READ_SECONDS", 60),  # of a worker, to read a text
    "experiment_cells": number("KSCHEDUI_MAX_EXPERIMENT_CELLS", 20_000),
    "experiment_text_bytes": number("KSCHEDUI_MAX_EXPERIMENT_TEXT_BYTES", 2 * 1024 * 1024),  # of its scenario
    "experiment_nodes": number("KSCHEDUI_MAX_EXPERIMENT_NODES", 1_000),  # of one cell
    "experiment_pods": number("KSCHEDUI_MAX_EXPERIMENT_PODS", 5_000),
    "experiment_seconds": number("KSCHEDUI_MAX_EXPERIMENT_SECONDS", 4 * 3600),  # of work, all cells together
    "experiments_going_on": number("KSCHEDUI_MAX_EXPERIMENTS_GOING_ON", 3),  # of one author
    "experiments_kept": number("KSCHEDUI_MAX_EXPERIMENTS_KEPT", 50),
    "cell_seconds": number("KSCHEDUI_MAX_CELL_SECONDS", 30),
    "cell_steps": number("KSCHEDUI_MAX_CELL_STEPS", 500_000),
    "account_bytes": number("KSCHEDUI_MAX_ACCOUNT_BYTES", 2 * 1024**3),  # texts and traces that are kept
    "browser_bytes": number("KSCHEDUI_MAX_BROWSER_BYTES", 512 * 1024**2),
    "address_day_bytes": number("KSCHEDUI_MAX_ADDRESS_DAY_BYTES", 8 * 1024**3),
    "free_disk_bytes": number("KSCHEDUI_MIN_FREE_DISK_BYTES", 256 * 1024**2),  # of SQLite's disk
    "database_bytes": number("KSCHEDUI_MAX_DATABASE_BYTES", 0),  # 0: any size
    "sockets_per_address": number("KSCHEDUI_MAX_SOCKETS_PER_ADDRESS", 1500),  # a class of 1,000 that opens its pages
    "class_students": number("KSCHEDUI_MAX_CLASS_STUDENTS", 2000),
    "frame_bytes": number("KSCHEDUI_MAX_FRAME_BYTES", 8 * 1024 * 1024),  # of one chunk
    "unsent_bytes": number("KSCHEDUI_MAX_UNSENT_BYTES", 128 * 1024 * 1024),  # that viewers have not taken; of a process
    "unsent_bytes_per_address": number("KSCHEDUI_MAX_UNSENT_BYTES_PER_ADDRESS", 32 * 1024 * 1024),
    "preview_pods": number("KSCHEDUI_MAX_PREVIEW_PODS", 2_000),
    "work_seconds": number("KSCHEDUI_MAX_WORK_SECONDS", 20),  # of processor time, for one request (kschedui/work)
    "quick_seconds": number("KSCHEDUI_MAX_QUICK_SECONDS", 1),  # of it, before it is taken for slow
    "work_bytes": number("KSCHEDUI_MAX_WORK_BYTES", 1024 * 1024 * 1024),  # of memory, for one request
    "waiting": number("KSCHEDUI_MAX_WAITING", 1000),  # requests that wait for their turn, of a web process
    "wait_seconds": number("KSCHEDUI_MAX_WAIT_SECONDS", 60),  # that one waits, before it is to ask again
    "direct_bytes": number("KSCHEDUI_MAX_DIRECT_BYTES", 512 * 1024),  # of a request; a worker answers a larger one
    "body_bytes": number("KSCHEDUI_MAX_BODY_BYTES", 288 * 1024 * 1024),  # of all requests that arrive; of a process
    "body_bytes_per_address": number("KSCHEDUI_MAX_BODY_BYTES_PER_ADDRESS", 256 * 1024 * 1024),  # one import
    "bodies_per_address": number("KSCHEDUI_MAX_BODIES_PER_ADDRESS", 500),  # that arrive at once: a class answers
    "upload_bytes": number("KSCHEDUI_MAX_UPLOAD_BYTES", 64 * 1024 * 1024),  # of such a request, packed
    "upload_seconds": number("KSCHEDUI_MAX_UPLOAD_SECONDS", 120),  # of processor time, for one of them
    "uploads_waiting": number("KSCHEDUI_MAX_UPLOADS_WAITING", 5),  # of one author
    "explain_work": number("KSCHEDUI_MAX_EXPLAIN_WORK", 100_000_000),  # nodes times attempts to simulate again
}
# Requests a minute of one account or browser; of one address thirty times as many (web/api/rates.py).
RATE_LIMITS = {
    "login": number("KSCHEDUI_RATE_LOGIN", 10),
    "save": number("KSCHEDUI_RATE_SAVE", 20),
    "run": number("KSCHEDUI_RATE_RUN", 60),
    "check": number("KSCHEDUI_RATE_CHECK", 120),
    "ask": number("KSCHEDUI_RATE_ASK", 600),  # questions about a run: a slider sends several a second
    "read": number("KSCHEDUI_RATE_READ", 1200),
    "page": number("KSCHEDUI_RATE_PAGE", 300),
    "download": number("KSCHEDUI_RATE_DOWNLOAD", 30),
    "join": number("KSCHEDUI_RATE_JOIN", 40),  # attempts to join a class
    "code": number("KSCHEDUI_RATE_CODE", 20),  # wrong codes of classes; of one address just as many
    "chunk": number("KSCHEDUI_RATE_CHUNK", 12_000),  # a link into the middle of a long run asks for all before it
}
DATA_UPLOAD_MAX_MEMORY_SIZE = min(512 * 1024, LIMITS["direct_bytes"])  # of a form
TEXT_BODY_BYTES = 2 * LIMITS["scenario_bytes"] + 64 * 1024  # of a request with a text, which JSON makes twice as long
HEAD_SECONDS = number("KSCHEDUI_HEAD_SECONDS", 20)  # in which the head of a request has to come
BODY_SECONDS = number("KSCHEDUI_BODY_SECONDS", 30)  # between two pieces of a request's body
DATA_UPLOAD_MAX_NUMBER_FIELDS = 50
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]

# --- Logging: one line per event on stderr ------------------------------------------------------------------------
LOG_FORMAT = os.environ.get("KSCHEDUI_LOG_FORMAT", "line")
if LOG_FORMAT not in ("line", "json"):
    raise ImproperlyConfigured(f"KSCHEDUI_LOG_FORMAT must be line or json, not {LOG_FORMAT!r}")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s %(request)s %(run)s",
            "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
        },
    },
    "filters": {"quiet": {"()": "kschedui.web.http.quiet.Quiet"}, "context": {"()": "kschedui.logs.Context"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["quiet", "context"]},
        "nowhere": {"class": "logging.NullHandler"},  # without any, Python would write to stderr by itself
    },
    "root": {"handlers": ["stderr"], "level": os.environ.get("KSCHEDUI_LOG_LEVEL", "WARNING")},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.request": {"level": "ERROR"},  # a page that is not found is not worth a line
        # Nor is a scanner, or a form with a thousand fields: they get a 400.
        "django.security": {"handlers": ["nowhere"], "propagate": False},
    },
}
