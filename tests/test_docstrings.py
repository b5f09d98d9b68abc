"""Docstrings of the public names: every parameter is explained where it is accepted, with its default."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import pytest

import honem
from honem.io.paths.options import Cleaning, EventLayout, JsonLayout, Limits, ReadOptions, TextLayout

HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n-+\n", re.MULTILINE)
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def entries(documented: Any, *titles: str) -> dict[str, str]:
    """Return the type, with the default, of every name that some sections of a docstring list."""
    _, *sections = HEADING.split(inspect.getdoc(documented) or "")
    found = {}
    for title, text in zip(sections[::2], sections[1::2], strict=True):
        for line in text.splitlines() if title in titles else ():
            if line and not line.startswith(" "):
                names, _, kind = line.partition(" : ")
                found.update(dict.fromkeys(names.split(", "), kind))
    return found


def accepted(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of a signature without `self`, with the stars of variadic ones."""
    parameters = inspect.signature(function).parameters.values()
    return {STARS.get(each.kind, "") + each.name: each for each in parameters if each.name != "self"}


def states_default(kind: str, default: Any) -> bool:
    """Return whether the type of a parameter ends with its default; for None, "optional" says the same."""
    return kind.endswith(f"default={default!r}".replace("'", '"')) or (default is None and kind.endswith("optional"))


def public_objects() -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes of `honem.__all__`, without named tuples, exceptions and warnings."""
    for name in honem.__all__:
        value = getattr(honem, name)
        if inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, (tuple, BaseException))):
            yield name, value


def public_methods() -> Iterator[tuple[str, Any]]:
    """Yield the public methods and class methods that honem itself defines; scikit-learn generates some more."""
    for name, owner in public_objects():
        for member in vars(owner) if inspect.isclass(owner) else ():
            method = getattr(owner, member)
            is_method = inspect.isfunction(method) or inspect.ismethod(method)
            if is_method and not member.startswith("_") and method.__module__.startswith("honem."):
                yield f"{name}.{member}", method


CALLABLES = {**dict(public_objects()), **dict(public_methods())}


@pytest.mark.parametrize("name", CALLABLES)
def test_the_parameters_of_the_signature_are_explained_and_no_others(name: str) -> None:
    documented = CALLABLES[name]
    # The fields of a result, which users read but do not set, are listed as attributes.
    fields_of_result = entries(documented, "Attributes") if is_dataclass(documented) else {}
    assert list(entries(documented, "Parameters") or fields_of_result) == list(accepted(documented))


@pytest.mark.parametrize("name", CALLABLES)
def test_defaults_are_those_of_the_signature(name: str) -> None:
    explained = entries(CALLABLES[name], "Parameters")
    with_default = {
        parameter: value.default
        for parameter, value in accepted(CALLABLES[name]).items()
        if parameter in explained and value.default is not inspect.Parameter.empty
    }
    assert [each for each, value in with_default.items() if not states_default(explained[each], value)] == []


@pytest.mark.parametrize("name", [name for name, value in CALLABLES.items() if not inspect.isclass(value)])
def test_what_a_function_with_parameters_returns_is_explained(name: str) -> None:
    function = CALLABLES[name]
    returns_something = inspect.signature(function).return_annotation not in (None, "None")
    is_explained = bool(entries(function, "Returns", "Yields"))
    assert is_explained or not (returns_something and accepted(function))


@pytest.mark.parametrize("name", [name for name, value in public_objects() if inspect.isfunction(value)])
def test_every_public_function_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(CALLABLES[name]) or "")


def defaults_of(kinds: Iterable[type]) -> dict[str, Any]:
    """Return the defaults of the fields of some dataclasses; a field without a default is one that may be left out."""
    known = {field.name: field.default for kind in kinds for field in fields(kind)}
    return {name: None if default is MISSING else default for name, default in known.items()}


READING = {"format": None, **defaults_of((TextLayout, JsonLayout, EventLayout, Cleaning, Limits))}
OPTIONS = {
    "read_paths": {name: READING[name] for name in ReadOptions.__annotations__},
    "clean_corpus": {name: READING[name] for name in defaults_of([Cleaning]) if name != "max_gap"},
    "extract_rules": defaults_of([honem.ExtractionParams]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_options_of_a_function_are_explained_with_their_defaults(name: str) -> None:
    explained, expected = entries(CALLABLES[name], "Other Parameters"), OPTIONS[name]
    assert list(explained) == list(expected)
    stated = {each: kind.replace("_", "") for each, kind in explained.items()}
    assert [each for each, value in expected.items() if not states_default(stated[each], value)] == []


def test_the_options_of_from_events_are_explained_as_those_of_read_paths() -> None:
    ours, theirs = (entries(CALLABLES[name], "Other Parameters") for name in ("from_events", "read_paths"))
    of_tables = [*defaults_of([JsonLayout, EventLayout, Cleaning]), "max_nodes"]
    assert ours == {name: theirs[name] for name in theirs if name in of_tables and name != "delimiter"}
