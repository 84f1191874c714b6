"""Entry point of the web server (gunicorn text_rankings.site.wsgi)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "text_rankings.site.settings")
application = get_wsgi_application()
