"""Reading stores, and nodes as they are typed in a shell."""

from __future__ import annotations

import os
import re
from collections.abc import Hashable
from typing import TYPE_CHECKING

from honem.corpus import Vocabulary
from honem.errors import InputError

if TYPE_CHECKING:
    from honem.io.store import Store
    from honem.prediction import NextStep, RuleNextStep
    from honem.profile import NodeProfile
    from honem.rules import RuleTable

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,4300}")  # Python converts no more digits


def load_with_rules(directory: str, purpose: str) -> tuple[Store, RuleTable]:
    """Load a store; raise InputError if it has no rules, which `purpose` needs."""
    from honem.io.store import load

    store = load(directory)
    if store.rules is None:
        raise InputError(f"{directory} was saved without rules, which are needed to {purpose}")
    return store, store.rules


def load_profile(directory: str) -> NodeProfile:
    """Load the profile of a store; raise InputError if it has none."""
    from honem.io.store import load

    profile = load(directory, with_rules=False).profile
    if profile is None:
        raise InputError(f"{directory} was saved without a profile; run `honem embed` again to make one")
    return profile


def load_predictor(directory: str) -> NextStep | RuleNextStep:
    """Load the next-step model of a store, or the rules as one if the store has none."""
    from honem.prediction import RuleNextStep

    store, rules = load_with_rules(directory, "predict the next node")
    return RuleNextStep.of(rules) if store.next_step is None else store.next_step


def known_label(text: str, vocabulary: Vocabulary) -> Hashable:
    """Return the node for a text from the shell: labels that are numbers in the store are text there."""
    return next((label for label in (text, _as_utf8(text), _as_number(text)) if label in vocabulary), text)


def _as_utf8(text: str) -> str:
    """Return what was typed if it is UTF-8, also where the locale has another encoding (`LC_ALL=C`)."""
    try:
        return os.fsencode(text).decode()
    except UnicodeError:
        return text


def _as_number(text: str) -> int | None:
    return int(text) if WHOLE_NUMBER.fullmatch(text) else None
