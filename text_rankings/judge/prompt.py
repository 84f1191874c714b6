"""Questions to a model: the shipped prompt, the request, and the schema of the answer."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

VERSION: Final = "1"
# Version 1. {questions} has the study's questions word for word, {criteria} their names.
USUAL: Final = """\
You compare two results of text detection on the same photograph. Each result is a set of outlines: \
a light line on a dark one around every region that a detector took for text. {pictures}

Look at the text in the photograph first, then at the outlines. Then answer for each criterion:
{questions}

Answer with one JSON object and nothing else. Its keys are {criteria}; each value is "left" if the \
left result is better, "right" if the right result is better, or "equal".
"""
_WORDS: Final = {
    "both": "The picture shows the left result on the left and the right result on the right.",
    "plain": "One picture is the photograph without outlines.",
    "left": "One picture is the left result.",
    "right": "One picture is the right result.",
    "crops": "Further pictures are the places where the results differ, left and right, the largest first.",
}


def usual_prompt(parts: Sequence[str]) -> str:
    """Return the shipped prompt for these pictures."""
    words = " ".join(_WORDS[part] for part in parts if part in _WORDS)
    if "both" not in parts:
        words += f" The pictures come in this order: {', '.join(parts)}."
    return USUAL.replace("{pictures}", words)


def filled(prompt: str, questions: Mapping[str, str]) -> str:
    listed = "\n".join(f"- {name}: {question}" for name, question in questions.items())
    names = ", ".join(f'"{name}"' for name in questions)
    return prompt.replace("{questions}", listed).replace("{criteria}", names)


def request_body(
    *,
    model: str,
    text: str,
    pictures: Sequence[bytes],
    sampling: Mapping[str, Any],
    answer_format: str,
    criteria: Sequence[str],
) -> dict[str, Any]:
    """Return the body of a request for chat completions: one user message, text and pictures."""
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in pictures:
        url = "data:image/png;base64," + base64.b64encode(picture).decode()
        content.append({"type": "image_url", "image_url": {"url": url}})
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": content}]}
    body |= {name: sampling[name] for name in ("temperature", "seed", "max_tokens")}
    if answer_format == "json":
        body["response_format"] = {"type": "json_object"}
    elif answer_format == "schema":
        schema = {
            "type": "object",
            "properties": {
                name: {"type": "string", "enum": ["left", "equal", "right"]} for name in criteria
            },
            "required": [*criteria],
            "additionalProperties": False,
        }
        held = {"name": "verdicts", "strict": True, "schema": schema}
        body["response_format"] = {"type": "json_schema", "json_schema": held}
    return body
