"""Making the study of a file, as a researcher does on the pages: the same services and findings."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotate.accounts import services as accounts
from annotate.datasets.models import Dataset, Image
from annotate.datasets.selectors import said_of_same_photographs
from annotate.design.setup.image_filters import Filter, at_random, facts, passing
from annotate.errors import Refusal
from annotate.imports.errors import NotLoaded
from annotate.imports.immediate import Found, load_files
from annotate.jobs.engine import computing
from annotate.judges import services as judges
from annotate.judges.models import Judge
from annotate.judging.image_allocation import is_answered
from annotate.names import refuse_unseen, seen
from annotate.recruiting import services as recruiting
from annotate.recruiting.errors import EntranceRefused
from annotate.recruiting.models import Entrance, Platform, new_slug
from annotate.recruiting.platforms import NAMES
from annotate.recruiting.questions import read_lines
from annotate.scoring.leaderboards import leaderboards_of
from annotate.scoring.readiness import readiness
from annotate.scoring.services import NotScored, compute, is_scored, protocol_named, publish
from annotate.studies import services as studies
from annotate.studies.models import Role, Study

from .data import file_to_load, named_files, question_of
from .reading import StudyFile, named_protocol

PAIR: Final = 2
Tell = Callable[[str], None]
# By file: the fields of FileToLoad that its questions ask for.
Answers = Mapping[Path, Mapping[str, Any]]


@dataclass
class Made:
    """A study of a file: the people's links, and whether anything was made or changed."""

    study: Study
    is_new: bool = False
    changed: list[str] = field(default_factory=list)
    # Role and address of the person (or none), and the token of the invitation.
    invitations: list[tuple[str, str, str]] = field(default_factory=list)


def make(
    file: StudyFile,
    *,
    tell: Tell,
    progress: Any,
    answers: Answers | None = None,
    found: Found | None = None,
) -> Made:
    """Load, score, make and open the study of a file, all or nothing.

    ``answers`` are those to questions of an earlier refusal; ``found`` is called with the findings
    of the load by kind. A study of this name that exists is
    compared with the file: what may still be changed is changed.
    Raises FileRefused with file, line and key, and what a load or a score raises.
    """
    with transaction.atomic():
        study = Study.objects.filter(name=file.content["name"]).first()
        protocols = _protocols(file)
        settings = settings_of(file)
        # Loading takes long, so that everything else is checked first.
        for number in range(len(file.content.get("entrance", []))):
            entrance_of(file, number, study or Study())
        for number in range(len(file.content.get("judge", []))):
            _check_judge(file, number)
        _refuse_without_contact(file, settings, study)
        if study is not None:
            made = _change(file, study, settings)
            runs = _score(file, study.dataset, protocols, tell, progress)
            made.changed += [f"protocols {name}" for name in runs]
            return made
        dataset = _load(file, progress, answers or {}, found)
        tell(f"{dataset}: {dataset.images.count()} images, {dataset.methods.count()} methods")
        _score(file, dataset, protocols, tell, progress)
        study = _create(file, dataset, settings)
        if said := said_of_same_photographs(study.images.all()):
            tell(said)
        made = Made(study, is_new=True)
        _save_entrances(file, study)
        _save_judges(file, study)
        _open(file, study)
        made.invitations = _invite(file, study)
        return made


def _refuse_without_contact(
    file: StudyFile, settings: Mapping[str, Any], study: Study | None
) -> None:
    """Raise FileRefused for an entrance to a study without a contact."""
    named = settings.get("contact") or file.content.get("people", {}).get("researchers")
    is_known = study is not None and recruiting.has_contact(study)
    if file.content.get("entrance") and not (named or is_known):
        raise file.refused("entrance.0", _("say in contact whom participants can ask."))


def _open(file: StudyFile, study: Study) -> list[str]:
    """Open a study that is a draft, unless the file says otherwise; return what changed."""
    if study.state != Study.State.DRAFT or not file.content.get("open", True):
        return []
    try:
        studies.set_state(study=study, state=Study.State.OPEN)
    except Refusal as refusal:
        raise file.refused("open", str(refusal)) from refusal
    return ["open"]


def settings_of(file: StudyFile) -> dict[str, Any]:
    """Return the settings of the study, by name."""
    design = dict(file.content.get("design", {}))
    design.pop("images", None)
    if design.pop("ask", "rankings") == "pairs":
        design.setdefault("methods_per_visit", PAIR)
    for name, value in design.items():
        model_field = Study._meta.get_field(name)
        try:
            model_field.clean(value, None)  # type: ignore[union-attr]  # settings are no relations
        except ValidationError as fault:
            raise file.refused(f"design.{name}", " ".join(fault.messages)) from fault
    for name, sentence in studies.misfits(design).items():
        raise file.refused(f"design.{name}", str(sentence))
    return design


def _protocols(file: StudyFile) -> list[Any] | None:
    """Return the protocols to score with; None: all that fit."""
    use = file.content.get("protocols", {}).get("use", "all")
    if isinstance(use, str):
        if use != "all":
            raise file.refused("protocols.use", _("expected {what}.").format(what='"all"'))
        return None
    found = []
    for number, one in enumerate(use):
        try:
            found.append(protocol_named(*named_protocol(one)))
        except NotScored as refusal:
            raise file.refused(f"protocols.use.{number}", str(refusal)) from refusal
    return found


def _load(file: StudyFile, progress: Any, answers: Answers, found: Found | None) -> Dataset:
    data = file.content["data"]
    name = data.get("dataset", file.content["name"])
    if Dataset.objects.filter(name=name).exists():
        raise file.refused(
            "data.dataset" if "dataset" in data else "name",
            _("there is a dataset named “{name}” already; name another one.").format(name=name),
        )
    files = {one.key: file_to_load(file, one) for one in named_files(file)}
    target = {key: data.get(key, "") for key in ("provenance", "licence")}
    try:
        answered = [replace(one, **answers.get(one.path, {})) for one in files.values()]
        load_files(answered, name=name, progress=progress, found=found, **target)
    except NotLoaded as refusal:
        if not refusal.questions:
            raise file.refused("data", str(refusal)) from refusal
        asked = refusal.questions[0]
        key = next(key for key, one in files.items() if one.path == asked.path)
        raise question_of(file, key, asked, refusal) from refusal
    return Dataset.objects.get(name=name)


def _score(
    file: StudyFile, dataset: Dataset, protocols: list[Any] | None, tell: Tell, progress: Any
) -> list[str]:
    """Score by the protocols that have not scored the dataset yet; return the names of the runs."""
    if protocols is None:
        protocols = [protocol_named(slug, {}) for slug in readiness(dataset).fitting]
    protocols = [one for one in protocols if not is_scored(dataset, one)]
    names: list[str] = []
    if not protocols:
        return names
    with computing() as executor:
        for number, protocol in enumerate(protocols, 1):
            try:
                scored = compute(dataset, protocol, None, executor)
                run = publish(scored)
            except NotScored as refusal:
                raise file.refused("protocols.use", str(refusal)) from refusal
            leaderboards_of(run)
            progress.tell(number, len(protocols), _("Scored by {name}").format(name=run.name))
            for remark in scored.remarks:
                tell(f"{run.name}: {remark}")
            names.append(run.name)
    return names


def _create(file: StudyFile, dataset: Dataset, settings: Mapping[str, Any]) -> Study:
    methods = list(dataset.methods.all())
    try:
        return studies.create_study(
            name=file.content["name"],
            dataset=dataset,
            methods=methods,
            images=_images(file, dataset, settings.get("seed", 0)),
            **settings,
        )
    except Refusal as refusal:
        raise file.refused(
            "design" if "design" in file.content else "name", str(refusal)
        ) from refusal


def _images(file: StudyFile, dataset: Dataset, seed: int) -> list[Image] | None:
    """Return the images of the study: drawn by the seed, named, or those that pass a filter."""
    wanted = file.content.get("design", {}).get("images")
    if wanted is None:
        return None
    if isinstance(wanted, list):
        by_name = {image.name: image for image in dataset.images.all()}
        for number, name in enumerate(wanted):
            if name not in by_name:
                words = _("there is no image named {name}.").format(name=name)
                raise file.refused(f"design.images.{number}", words)
        return [by_name[name] for name in wanted]
    comparable = studies.comparable(dataset, dataset.methods.all())
    keys = set(comparable.values_list("pk", flat=True))
    asked = {"n": wanted} if isinstance(wanted, int) else dict(wanted)
    n = asked.pop("n", None)
    fitting = passing(
        Filter(**asked), facts(dataset), comparable=keys, chosen=set(), apart={}
    )  # fmt: skip
    chosen = [fact.pk for fact in fitting] if n is None else at_random(fitting, n, seed)
    if not chosen or (n is not None and len(chosen) < n):
        words = _("only {n} images fit.").format(n=len(chosen))
        raise file.refused("design.images", words)
    return list(dataset.images.filter(pk__in=chosen))


def entrance_of(file: StudyFile, number: int, study: Study) -> Entrance:
    """Return an entrance of the file, not stored yet."""
    given = dict(file.content["entrance"][number])
    platform = Platform(given.pop("platform"))
    names = NAMES[platform]
    # Decimal fields refuse the binary fraction of a number such as 1.2.
    given |= {name: str(value) for name, value in given.items() if isinstance(value, float)}
    for unit in Entrance.Unit.values:
        if unit in given:
            given |= {"unit": unit, "size": given.pop(unit)}
    try:
        given["questions"] = read_lines("\n".join(given.pop("questions", ())))
    except ValidationError as fault:
        raise file.refused(f"entrance.{number}.questions", " ".join(fault.messages)) from fault
    usual = {
        "name": f"{platform.value}-{number + 1}",
        "person_parameter": names.person,
        "submission_parameter": names.submission,
        "way_back": names.way_back,
    }
    entrance = Entrance(study=study, platform=platform, **usual | given)
    entrance.slug = entrance.slug or new_slug()
    for name in ("name", "group"):
        key = f"entrance.{number}.{name}"
        refuse_unseen(getattr(entrance, name), partial(file.refused, key))
    try:
        entrance.full_clean(exclude=["study"], validate_unique=False, validate_constraints=False)
    except ValidationError as fault:
        [name, sentences] = next(iter(fault.message_dict.items()))
        raise file.refused(f"entrance.{number}.{name}", " ".join(sentences)) from fault
    try:
        recruiting.check_entrance(entrance, may_send_anywhere=False)
    except EntranceRefused as refusal:
        name = entrance.unit if refusal.field == "size" else refusal.field
        raise file.refused(f"entrance.{number}.{name}", str(refusal)) from refusal
    return entrance


def _save_entrances(file: StudyFile, study: Study) -> list[str]:
    """Make and change the entrances as the file says; return the new ones and the keys that differ."""
    there = {entrance.name: entrance for entrance in study.entrances.all()}
    changed = []
    for number, given in enumerate(file.content.get("entrance", [])):
        key, entrance = f"entrance.{number}", entrance_of(file, number, study)
        known = there.get(entrance.name)
        differing = [] if known is None else _differing(known, entrance, given)
        if known is not None and not differing:
            continue
        if "platform" in differing:
            why = _("the entrance is for another platform. Give this one a new name.")
            raise file.refused(f"{key}.platform", why)
        if known is not None:
            for name in differing:
                setattr(known, name, getattr(entrance, name))
        try:
            recruiting.save_entrance(known or entrance, may_send_anywhere=False)
        except EntranceRefused as refusal:
            raise file.refused(f"{key}.{refusal.field}", str(refusal)) from refusal
        which = f" ({', '.join(differing)})" if differing else ""
        changed.append(f"entrance.{entrance.name}{which}")
    return changed


def _differing(known: Entrance, asked: Entrance, given: Mapping[str, Any]) -> list[str]:
    """Return the settings of an entrance that a file gives and that differ from those stored."""
    units = ["unit", "size"] if given.keys() & set(Entrance.Unit.values) else []
    names = [*(name for name in given if name not in Entrance.Unit.values), *units]
    return [name for name in names if getattr(known, name) != getattr(asked, name)]


def _check_judge(file: StudyFile, number: int) -> None:
    """Raise FileRefused if a judge of the file has an invalid setting; its images are checked later."""
    given = {**file.content["judge"][number]}
    given.pop("images", None)
    host, key = given.pop("host", None), f"judge.{number}"
    try:
        Judge(**given).full_clean(
            exclude=["study", "host", "prompt_sha256", "made_by", *({"parts"} - given.keys())]
        )
        seen(given["name"])
        judges.check_pairs(given.get("pairs", "people"))
        if host is not None:
            judges.check_host(host)
    except ValidationError as fault:
        raise file.refused(key, " ".join(fault.messages)) from fault
    except ValueError as fault:
        raise file.refused(key, str(fault)) from fault


def _save_judges(file: StudyFile, study: Study) -> list[str]:
    """Make and change the judges as the file says; return the new ones, and those that differ."""
    changed = []
    for number, given in enumerate(file.content.get("judge", [])):
        known = study.judges.filter(name=given["name"]).first()
        stored = {} if known is None else judges.settings_of(known)
        if known is not None and stored == stored | given:
            continue
        usual = {"parts": ["both"], "prompt": ""}
        try:
            judges.make_judge(study=study, person=None, **usual | stored | given)
        except Refusal as refusal:
            raise file.refused(f"judge.{number}", str(refusal)) from refusal
        changed.append(f"judge.{given['name']}")
    return changed


def _invite(file: StudyFile, study: Study) -> list[tuple[str, str, str]]:
    """Invite the people of a file whom no file has invited before."""
    people = file.content.get("people", {})
    made = []
    for key, role in (("researchers", Role.RESEARCHER), ("annotators", Role.ANNOTATOR)):
        asked = people.get(key, [])
        before = study.invitations.filter(role=role, made_by=None)
        addresses: Iterable[Any]
        if isinstance(asked, int):
            addresses = [""] * (asked - before.count())
        else:
            known = {email.lower() for email in before.values_list("email", flat=True)}
            addresses = [address for address in asked if address.lower() not in known]
        for address in addresses:
            try:
                emails = (address,) if address else ()
                [one] = accounts.invite(study=study, role=role, emails=emails)
            except Refusal as refusal:
                raise file.refused(f"people.{key}", str(refusal)) from refusal
            made.append((role.value, address, one.token))
    return made


def _change(file: StudyFile, study: Study, settings: Mapping[str, Any]) -> Made:
    """Change a study that exists to what the file says, where that may still be done."""
    if fixed := _fixed(file, study):
        raise file.refused(*fixed)
    differing = {name: value for name, value in settings.items() if getattr(study, name) != value}
    made = Made(study)
    if differing:
        try:
            studies.change_settings(study=study, is_answered=is_answered, **differing)
        except Refusal as refusal:
            raise file.refused(f"design.{next(iter(differing))}", str(refusal)) from refusal
        made.changed += [f"design.{name}" for name in differing]
    made.changed += _save_entrances(file, study)
    made.changed += _save_judges(file, study)
    made.changed += _open(file, study)
    made.invitations = _invite(file, study)
    if made.invitations:
        made.changed.append("people")
    return made


def _fixed(file: StudyFile, study: Study) -> tuple[str, str] | None:
    """Return the key of data that differ from those of the study, and why they cannot change."""
    why = _("the study has other ones, and its data cannot be changed. Give the study a new name.")
    data, design = file.content["data"], file.content.get("design", {})
    if data.get("dataset", file.content["name"]) != study.dataset.name:
        return "data.dataset", why
    results = data["results"]
    titles = set(results) if isinstance(results, dict) else None
    if titles is not None and titles != set(study.methods.values_list("name", flat=True)):
        return "data.results", why
    if isinstance(results, list) and len(results) != study.methods.count():
        return "data.results", why
    if key := _other_file(file, study.dataset):
        return key, why
    if design.get("seed", study.seed) != study.seed:
        return "design.seed", why
    wanted = design.get("images")
    names = set(study.images.values_list("name", flat=True))
    if isinstance(wanted, int) and wanted != len(names):
        return "design.images", why
    if isinstance(wanted, list) and set(wanted) != names:
        return "design.images", why
    return None


def _other_file(file: StudyFile, dataset: Dataset) -> str | None:
    """Return the key of a file that is there and was not loaded, by its checksum."""
    loaded = {
        one["sha256"] for receipt in dataset.imports.filter(undone=None) for one in receipt.files
    }
    for named in named_files(file):
        path = file.path.parent / Path(named.name).expanduser()
        if path.is_file():
            with path.open("rb") as stream:
                if file_digest(stream, "sha256").hexdigest() not in loaded:
                    return named.key
    return None
