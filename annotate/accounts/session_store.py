"""Sessions as Django keeps them in the database, asked for by a query that is made once."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from annotate.prepared_sql import Prepared


def _session(key: str) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key)


_sessions = Prepared(_session)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        for session in _sessions(key=self.session_key or ""):
            if session.expire_date > timezone.now():
                return session
        self._session_key = None
        return None
