"""The whole API under requests that fit its description and that do not, as every role.

No answer may be a failure of the server, carry a status that its operation does not document, or
look otherwise than the description says.
"""

import gc
import json

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from rest_framework.renderers import JSONRenderer
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi import checks

from tests.support.examples import scaled
from tests.support.world import values_in

pytestmark = pytest.mark.django_db

N_EXAMPLES = {"nobody": 1, "annotator": 2, "researcher": 2, "admin": 4}
CHECKS = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture(scope="session")
def description():
    load_all_checks()
    schema = JSONRenderer().render(SchemaGenerator().get_schema(public=True))
    loaded = schemathesis.openapi.from_dict(json.loads(schema))
    loaded.app = get_wsgi_application()
    return loaded


@pytest.fixture
def no_limits(settings):
    settings.API_RATES = dict.fromkeys(settings.API_RATES, "1000000/s")


@pytest.fixture
def one_connection():
    """Without this the server would close the connection, whose transaction is not its own."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def cases(operation, world):
    """Requests to what is there, right and wrong, and to what is not there."""
    names = {parameter.name for parameter in operation.path_parameters}
    there = {
        name: value for name, value in values_in(operation.path, world).items() if name in names
    }
    right = operation.as_strategy(GenerationMode.POSITIVE, path_parameters=there)
    kinds = [right]
    if names:
        kinds.append(operation.as_strategy(GenerationMode.POSITIVE))
    if operation.body or operation.query:
        kinds += [operation.as_strategy(GenerationMode.NEGATIVE, path_parameters=there)] * 2
    return st.one_of(kinds)


@pytest.mark.parametrize("role", N_EXAMPLES)
@pytest.mark.usefixtures("no_limits", "one_connection")
# The fuzzer's client does not close the photographs that it was sent.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <_io:pytest.PytestUnraisableExceptionWarning"
)
def test_no_request_breaks_the_api_or_its_description(description, world, role):
    headers = dict(world.client(role)._credentials)
    authorization = headers.get("HTTP_AUTHORIZATION")
    # The fuzzer asks for compressed answers, and does not unpack them.
    headers = {"Accept-Encoding": "identity"}
    headers |= {"Authorization": authorization} if authorization else {}
    n_requests = 0
    for result in description.get_all_operations():
        operation = result.ok()

        @seed(7)
        @settings(
            max_examples=scaled(N_EXAMPLES[role]),
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases(operation, world))
        def answers_as_described(case):
            nonlocal n_requests
            n_requests += 1
            with transaction.atomic():
                try:
                    case.call_and_validate(headers=headers, checks=CHECKS)
                finally:
                    # Each request meets the same world.
                    transaction.set_rollback(True)

        answers_as_described()
    # The photographs are closed here, not in a later test, which the warning would fail.
    gc.collect()
    assert n_requests >= N_EXAMPLES[role] * 40
