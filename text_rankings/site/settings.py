"""Settings of the site: defaults for one machine, everything else from the environment."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dj_database_url
import django_stubs_ext
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from rankings import __version__

from . import env, places
from .build import build

# Forms and admin pages are subscripted with their model: ModelForm[Study].
django_stubs_ext.monkeypatch()

DATA_DIR = env.folder("DATA_DIR", places.usual_data_folder())
# Pages of the protocols, and the command prefix that hints show.
DOCUMENTS, MANAGE = places.DOCUMENTS, places.manage(DATA_DIR)

# The program, in logs, backups, bundles and keys of caches; images are given the build.
BUILD = env.text("BUILD", default="") or build()
PROGRAM = f"{__version__}+{BUILD}" if BUILD else __version__

# Without a secret this is a personal machine, and ALLOWED_HOSTS keeps the site on it; a server sets
# SECRET_KEY, or DEBUG=false and gets an error that the secret is missing.
DEBUG = env.flag("DEBUG", default=not env.text("SECRET_KEY", default=""))
SECRET_KEY = env.text("SECRET_KEY", default="only-for-development-" + "0" * 40 if DEBUG else None)
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", default="127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.names("CSRF_TRUSTED_ORIGINS")
# Only these peers are trusted for a client's address and scheme (text_rankings/site/proxies.py).
TRUSTED_PROXIES = env.proxies("TRUSTED_PROXIES")
# Token that may read /metrics; without one, this machine only.
METRICS_TOKEN = env.text("METRICS_TOKEN", default="")

# Hosts that participants may be sent back to, besides those of the known platforms.
RECRUITING_HOSTS = env.names("RECRUITING_HOSTS")

INSTALLED_APPS = [
    "annotate.apps.AnnotateConfig",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "text_rankings.site.apps.RescueConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    # For its templates, so that ours may replace one of them.
    "django.forms",
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

MIDDLEWARE = [
    "text_rankings.site.proxies.forwarded",
    "text_rankings.site.logs.numbered",
    "annotate.operations.health.middleware.health",
    "annotate.operations.health.metrics.measured",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "text_rankings.site.middleware.Compressed",
    "text_rankings.site.middleware.FullDisk",
    "text_rankings.site.middleware.NotFound",
    "text_rankings.site.middleware.private",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "text_rankings.site.middleware.english_for_programs",
    "text_rankings.site.middleware.marked_for_spreadsheets",
    "text_rankings.site.middleware.readable_address",
    "django.middleware.common.CommonMiddleware",
    "text_rankings.site.bodies.BodyLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "annotate.audit.middleware.who_acts",
    "annotate.recruiting.middleware.Participants",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

if not DEBUG:  # the development server finds static files itself
    MIDDLEWARE.insert(
        MIDDLEWARE.index("csp.middleware.CSPMiddleware"),
        "whitenoise.middleware.WhiteNoiseMiddleware",
    )

ROOT_URLCONF = "text_rankings.site.urls"
WSGI_APPLICATION = "text_rankings.site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [places.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["django.templatetags.i18n", "annotate.languages"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotate.studies.context.rights",
                "annotate.studies.context.section",
                "annotate.recruiting.context.participant",
                "annotate.accounts.context.theme",
                "annotate.jobs.context.work",
                "annotate.accounts.context.mail",
                "annotate.operations.health.context.program",
            ],
        },
    },
]


def _database() -> dict[str, Any]:
    settings: dict[str, Any] = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    url = env.text("DATABASE_URL", default="")
    if url:
        try:
            settings |= dj_database_url.parse(url, **{k.lower(): v for k, v in settings.items()})
        except ValueError as refusal:
            raise ImproperlyConfigured(f"DATABASE_URL: {refusal}") from refusal
    else:  # not by a URL, in which a folder's drive letter, # or % would have another meaning
        settings |= {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATA_DIR / "db.sqlite3")}
    if "postgres" in settings["ENGINE"] and find_spec("psycopg") is None:
        raise ImproperlyConfigured(
            "DATABASE_URL names PostgreSQL, which is an extra that is not installed: "
            "pip install 'text-detection-rankings[postgres]'"
        )
    if "postgres" in settings["ENGINE"]:
        # For annotate.prepared_sql.rows; Django's own queries are not prepared.
        settings["OPTIONS"] = {"prepare_threshold": 5} | settings.get("OPTIONS", {})
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        try:
            DATA_DIR.mkdir(parents=True, exist_ok=True)
            places.for_us_alone(Path(settings["NAME"]))
        except OSError as fault:
            raise ImproperlyConfigured(
                f"{fault.filename}: {fault.strerror}. Check DATA_DIR and DATABASE_URL."
            ) from fault
        settings["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL: an acknowledged answer survives a power failure.
            "init_command": (
                "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;"
                "PRAGMA mmap_size=134217728;PRAGMA cache_size=2000;"
            ),
        }
    return settings


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Rate limits must be shared by all web processes.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_cache",
        # Above this number the oldest counts are deleted, and the limits with them.
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # Separate, so that drawings cannot evict limits.
    "drawings": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_drawings",
        "TIMEOUT": 86_400,
        "OPTIONS": {"MAX_ENTRIES": 3_000},
    },
    "reports": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_reports",
        "TIMEOUT": 7 * 24 * 3600,
        "OPTIONS": {"MAX_ENTRIES": 300},
    },
}

AUTHENTICATION_BACKENDS = [
    "annotate.permissions.Permissions",
    "annotate.permissions.Participants",
    "allauth.account.auth_backends.AuthenticationBackend",
]
_validation = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_validation}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_validation}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_validation}.CommonPasswordValidator"},
    {"NAME": f"{_validation}.NumericPasswordValidator"},
]
# No e-mail is written without a mail server, because its links open accounts; pages say so.
EMAIL_HOST = env.text("EMAIL_HOST", default="")
MAIL_IS_SET_UP = bool(EMAIL_HOST)
# With a mail server, a worker sends the e-mails.
EMAIL_SENT_BY = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_BACKEND = (
    "annotate.jobs.mail.Backend"
    if MAIL_IS_SET_UP
    else "django.core.mail.backends.dummy.EmailBackend"
)
EMAIL_PORT = env.number("EMAIL_PORT", default=587)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", default="")
# With a user, a missing password stops the start.
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", default=None if EMAIL_HOST_USER else "")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.text(
    "DEFAULT_FROM_EMAIL", default=None if MAIL_IS_SET_UP else "rankings@localhost"
)

LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "annotate.accounts.adapter.ClosedSignUp"
_forms = "annotate.accounts.forms"
ACCOUNT_FORMS = {
    "signup": f"{_forms}.SignUpForm",
    "reset_password": f"{_forms}.LostPasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
# The password once: a button shows it.
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*"]
# An e-mail address is for password resets only; to add one takes the password, not its confirmation.
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_EMAIL_NOTIFICATIONS = MAIL_IS_SET_UP
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_MAX_EMAIL_ADDRESSES = 3
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_SESSION_REMEMBER = ACCOUNT_REAUTHENTICATION_REQUIRED = True
# A whole class may share one address. A failed sign-in counts against the user first, so that a
# user who is locked out and keeps trying does not lock out the others.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    # Codes of a second factor, by account; further tries wait longer.
    "login_failed": "5/5m/key,20/2h/key,30/m/ip",
    # By name and browser or network (accounts/adapter.py).
    "failed_sign_in": "5/5m/key,20/2h/key",
    "failed_sign_in_of_address": "30/m/ip",
    # By name alone, from browsers in which the user has never signed in. Beyond this limit no one
    # is refused, but each of these networks has one wrong try (accounts/adapter.py).
    "failures_of_strangers": "60/h/key",
    "sign_in_while_guessed_at": "1/h/key",
    "signup": "240/m/ip",
    # Forty people behind one address may open and send theirs within a minute. Tokens are long.
    "invitation": "240/m/ip",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Text detection rankings"
MFA_TOTP_TOLERANCE = 1
MFA_ALLOW_UNVERIFIED_EMAIL = True
# Browsers allow passkeys on http://localhost, and nowhere else without TLS.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = DEBUG

LANGUAGE_CODE = "en"
# Each has a catalogue in annotate/locale (`make messages`). English is the language of the code.
LANGUAGES = [("en", "English"), ("fr", "Français")]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
# For pages; files and the API have UTC.
TIME_ZONE = env.zone("TIME_ZONE", default="UTC")

# Where the site is not at the top of its host: /rankings.
FORCE_SCRIPT_NAME = env.prefix("SCRIPT_NAME") or None
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = FORCE_SCRIPT_NAME or "/"
STATIC_URL = f"{FORCE_SCRIPT_NAME or ''}/static/"
STATIC_ROOT = env.folder("STATIC_ROOT", (places.REPOSITORY or DATA_DIR) / "staticfiles")
STATICFILES_DIRS = [places.STATIC]
# Images are stored under their hashes; a view that checks access serves them; no MEDIA_URL.
MEDIA_ROOT = DATA_DIR / "images"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if DEBUG
            else "text_rankings.site.static.ModulesManifestStorage"
        )
    },
}
# Long work goes through a queue to a worker (`manage.py worker`). "here", for tests and benchmarks,
# does it within the call that starts it.
JOBS = "queue"
# How often a worker says that it lives, and looks for jobs of workers that do not (annotate/jobs/models.py).
WORKER_BEAT_SECONDS = 3.0
# Address of the queue, if it is not stored with the site's data: redis://host:6379/0.
QUEUE_URL = env.text("QUEUE_URL", default="")
# Chunks of jobs are computed by processes of this machine (0: in the job's own process, where a chunk
# cannot be ended; None: one for each core), or on a Dask cluster if its scheduler is named.
ENGINE_WORKERS = env.number("ENGINE_WORKERS", default=None)
# The longest that a job may run, in hours; 0: no limit.
JOB_MAX_HOURS = env.number("JOB_MAX_HOURS", default=12)
# Number of daily copies of all rows that are kept in DATA_DIR/backups; 0: none.
BACKUPS_KEPT = env.number("BACKUPS_KEPT", default=7)
# Retention in days, enforced by the hourly upkeep; 0: for ever (docs/reference/data-protection.md).
JOBS_KEPT_DAYS = env.number("JOBS_KEPT_DAYS", default=180)
DETAILS_KEPT_DAYS = env.number("DETAILS_KEPT_DAYS", default=365)
ACCOUNTS_KEPT_DAYS = env.number("ACCOUNTS_KEPT_DAYS", default=0)
DASK_SCHEDULER = env.text("DASK_SCHEDULER", default="")
# If the cluster does not answer, a job fails with a message, or computes on this machine.
ENGINE_FALLBACK = env.choice("ENGINE_FALLBACK", ("none", "local"), default="none")
# Folder of wheels of numpy and shapely, which a competition's bundle for Codabench holds.
CODABENCH_WHEELS = Path(wheels) if (wheels := env.text("CODABENCH_WHEELS", "")) else None
# A body that holds no files; addresses that take files have the limit below (site/bodies.py).
BODY_MAX_BYTES = 3 * 1024**2
STAGED_FILE_MAX_BYTES = 2 * 1024**3
STAGED_TOTAL_MAX_BYTES = 40 * 1024**3
# Above this an upload is streamed to disk.
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 200

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "blob:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    # Tokens come first: a 401 names their scheme, so that browsers open no dialog.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotate.api.tokens.authentication.BearerToken",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["annotate.api.scopes.HasScope"],
    "DEFAULT_THROTTLE_CLASSES": [
        "annotate.api.throttling.PerPerson",
        "annotate.api.throttling.Anonymous",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotate.api.parsers.JsonParser"],
    "DEFAULT_PAGINATION_CLASS": "annotate.api.pagination.Pages",
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "annotate.api.schema.Schema",
    "EXCEPTION_HANDLER": "annotate.api.problems.handle",
    "URL_FORMAT_OVERRIDE": None,
    # The client is in REMOTE_ADDR (text_rankings/site/proxies.py).
    "NUM_PROXIES": 0,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
# Requests by a token or user, requests that take seconds, and requests by anonymous addresses.
API_RATES = {"person": "600/min", "heavy": "60/min", "anonymous": "60/min", "pictures": "12000/min"}
SPECTACULAR_SETTINGS = {
    "TITLE": "Text detection rankings",
    "DESCRIPTION": (
        "What people do on the pages, for scripts. Make a token on the page of your tokens and send "
        "it as `Authorization: Bearer …`. Lists come in pages; errors are problem documents "
        "(RFC 9457); a request that creates is done once for each `Idempotency-Key`."
    ),
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "PATH_CONVERTER_OVERRIDES": {
        "key": {"type": "integer", "minimum": 1, "maximum": 999_999_999_999_999_999},
    },
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "ENUM_NAME_OVERRIDES": {
        "Verdict": "annotate.judging.models.Verdict",
        "CriterionName": "rankings.elicitation.log.CRITERIA",
        "CriterionState": ["open", "implied"],
        "StudyState": "annotate.studies.models.Study.State",
        "AskedState": ["open", "closed"],
        "AssignmentState": "annotate.judging.models.Assignment.State",
        "LoadState": "annotate.imports.models.Draft.State",
        "JobState": "annotate.jobs.models.Job.State",
        "FileKind": "annotate.imports.models.FileKind",
        "JudgeKind": "annotate.judges.models.Judge.Kind",
        "ReceiptKind": "annotate.imports.models.Import.Kind",
        "Strategy": "annotate.studies.models.Study.Strategy",
        "WhenShown": "annotate.studies.models.Study.GroundTruth",
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": f"{STATIC_URL}img/icon.svg",
    "SWAGGER_UI_SETTINGS": {
        "deepLinking": True,
        "persistAuthorization": False,
        # The validator would contact another host.
        "validatorUrl": None,
    },
}

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
if not DEBUG:
    # HTTPS=false serves plain HTTP inside a closed network.
    _https = env.flag("HTTPS", default=True)
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _https
    SECURE_SSL_REDIRECT = _https
    # Browsers remember this setting and it cannot be revoked, so it lasts a day at first; other
    # subdomains are not ours.
    SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", default=86_400) if _https else 0
    SECURE_HSTS_INCLUDE_SUBDOMAINS = env.flag("HSTS_SUBDOMAINS", default=False)
    SECURE_HSTS_PRELOAD = env.flag("HSTS_PRELOAD", default=False)
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # the two flags above
    # text_rankings/site/proxies.py drops the header from all other peers.
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if _https else "http"

_level = env.text("LOG_LEVEL", default="WARNING").upper()
_to_console = {"handlers": ["console"], "level": "INFO", "propagate": False}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "without_tokens": {"()": "text_rankings.site.logs.WithoutTokens"},
        "with_request": {"()": "text_rankings.site.logs.WithRequest"},
    },
    "formatters": {
        "plain": {
            "()": "text_rankings.site.logs.InUtc",
            "format": "%(asctime)s %(levelname)s %(name)s [%(version)s %(request_id)s]: %(message)s",
        },
        "json": {"()": "text_rankings.site.logs.AsJson"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": env.choice("LOG_FORMAT", ("plain", "json"), default="plain"),
            "filters": ["without_tokens", "with_request"],
        }
    },
    "root": {"handlers": ["console"], "level": _level},
    # All of these log the URL of a request, and would add handlers of their own.
    "loggers": {
        "django": _to_console | {"level": _level},
        # Requests with another site's name get a 400 without a traceback.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "django.server": _to_console,
        # One line a request, below errors; the server's own would name the visitor's address.
        "rankings.requests": _to_console | {"level": _level},
    },
}
