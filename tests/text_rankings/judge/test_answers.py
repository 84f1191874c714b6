"""Answers are read from the last JSON object, and nothing is guessed."""

import pytest

from text_rankings.judge.answers import answer_in, together, verdicts_in
from text_rankings.judge.budget import Budget
from text_rankings.judge.errors import OutOfBudget, Refused
from text_rankings.judge.prompt import filled, request_body, usual_prompt
from text_rankings.judge.web import checked_address

TWO = ("recall", "precision")
GOOD = '{"recall": "left", "precision": "equal"}'
READ = {"recall": "left", "precision": "equal"}


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"A word {{here}} and a set {{a, b}}. {GOOD} That is all.",
        '{"recall": "right", "precision": "right"}\nNo, better:\n' + GOOD,
        '{"why": {"recall": "right"}, "recall": "left", "precision": "equal", "beauty": NaN}',
    ],
)
def test_the_last_object_is_read(text):
    assert verdicts_in(text, TWO) == READ


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The left one is better.",
        '{"recall": "left"}',
        '{"recall": "left", "precision": "Equal"}',
        '{"recall": "left", "precision": "both"}',
        '{"recall": NaN, "precision": "equal"}',
        '{"recall": ["left"], "precision": "equal"}',
        GOOD + ' {"recall": "right"}',
        GOOD + ' but {"recall": "ri',
        '{"inner": {"recall": "left", "precision": "equal"}, "recall":',
        '{"recall": "left", "recall": "right", "precision": "equal"}',
        "[" * 100_000 + '{"recall": ' + "[" * 100_000,
        '["left", "equal"]',
    ],
)
def test_anything_else_is_unreadable(text):
    assert verdicts_in(text, TWO) is None


def reply(content=GOOD, reason="stop", **message):
    choice = {"message": {"content": content} | message, "finish_reason": reason}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    return {"choices": [choice], "usage": usage, "model": "m", "system_fingerprint": None}


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (reply(), "answered"),
        (reply(reason="length"), "answered"),
        (reply("Well", "length"), "cut off"),
        (reply("Well"), "unreadable"),
        (reply(refusal="No."), "refused"),
        (reply(reason="content_filter"), "refused"),
        (reply(None), "unreadable"),
        (None, "unreadable"),
        ([], "unreadable"),
        ({"choices": []}, "unreadable"),
        ({"choices": [{"message": None}]}, "unreadable"),
    ],
)
def test_outcomes(data, outcome):
    found = answer_in(data, TWO, 1.0)
    assert found.outcome == outcome
    assert bool(found.verdicts) == (outcome == "answered")


def test_answers_to_single_criteria_are_one_row():
    one = answer_in(reply('{"recall": "left"}'), ["recall"], 1.0)
    other = answer_in(reply('{"precision": "right"}'), ["precision"], 2.0)
    whole = together({"recall": one, "precision": other})
    assert (whole.outcome, whole.verdicts) == ("answered", {"recall": "left", "precision": "right"})
    assert (whole.tokens_in, whole.tokens_out, whole.seconds) == (10, 4, 3.0)
    half = together({"recall": one, "precision": answer_in(reply("?"), ["precision"], 1.0)})
    assert (half.outcome, half.verdicts) == ("unreadable", {})


@pytest.mark.parametrize(
    "address",
    [
        "http://model.example/v1",
        "http://10.0.0.1/v1",
        "https://me:pw@model.example/v1",
        "https://me@model.example/v1",
        "ftp://127.0.0.1/v1",
        "https://model.example/v1?key=x",
        "https://[::1",
        "model.example",
    ],
)
def test_addresses_that_no_picture_or_key_may_travel_to(address):
    with pytest.raises(Refused) as refusal:
        checked_address(address)
    assert "pw" not in str(refusal.value)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8000/v1", "http://[::1]:1/v1", "http://localhost", "https://a.b/"]
)
def test_addresses_of_this_machine_and_encrypted_ones(address):
    assert checked_address(address).hostname


def test_a_request_is_one_message_with_text_and_pictures():
    sampling = {"temperature": 0.0, "seed": 1, "max_tokens": 9, "one_by_one": False}
    body = request_body(
        model="m",
        text="T",
        pictures=[b"png"],
        sampling=sampling,
        answer_format="schema",
        criteria=TWO,
    )
    [message] = body["messages"]
    assert message["content"][0] == {"type": "text", "text": "T"}
    assert message["content"][1]["image_url"]["url"] == "data:image/png;base64,cG5n"
    assert (body["temperature"], body["seed"], body["max_tokens"]) == (0.0, 1, 9)
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["required"] == [*TWO]
    assert "one_by_one" not in body


def test_the_shipped_prompt_has_the_questions_word_for_word():
    text = filled(usual_prompt(["both"]), {"recall": "Which finds more {text}?"})
    assert "- recall: Which finds more {text}?" in text
    assert "{questions}" not in text
    assert "left result on the left" in text


def test_limits_leave_room_for_what_is_in_flight():
    budget = Budget(max_tokens=250, most_out=10)
    budget.begin()
    budget.end(90, 10)
    # 100 are used, and each request may take as many: one more at a time.
    budget.begin()
    with pytest.raises(OutOfBudget):
        budget.begin()
    budget.end(90, 10)
    with pytest.raises(OutOfBudget):
        budget.begin()
    assert (budget.n_requests, budget.tokens_in, budget.tokens_out) == (2, 180, 20)


def test_cost_is_per_million_tokens():
    budget = Budget(max_cost=3.0, price_in=1.0, price_out=10.0, most_out=100_000)
    budget.begin()
    budget.end(1_000_000, 50_000)
    assert budget.cost == 1.5
    budget.begin()
    with pytest.raises(OutOfBudget):
        budget.begin()
