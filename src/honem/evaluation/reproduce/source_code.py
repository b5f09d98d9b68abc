"""Hashes of the code that computes a result: the modules of honem that it imports, directly or not.

What counts is the syntax tree without docstrings, so comments, docstrings and formatting can change freely. Modules are
found by reading import statements, at the top of a module or inside a function; nothing is imported for it.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from uuid import uuid4

import honem

PACKAGE = Path(honem.__file__).parent
NOT_FOLLOWED = ("honem.cli", "honem.explain", "honem.explore", "honem.io")
"""Parts of honem that read, write or show results but compute none: the estimator imports them for its other methods.

The data are hashed themselves, so the readers need not be."""


def code_fingerprint(objects: Iterable[object], package: Path | None = None) -> str:
    """Return a short hash of the code of some classes or functions and of all modules of honem that it imports.

    Parameters
    ----------
    objects : iterable
        Classes and functions, or instances of classes.
    package : Path, optional
        Folder of the package honem; by default that of the running one.
    """
    files = code_files(objects, package or PACKAGE)
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}: {files[name].digest}\n".encode())
    return digest.hexdigest()[:16]


class CodeFile:
    """A module: a hash of its code, and the modules of honem that it imports."""

    def __init__(self, text: str, package: Path) -> None:
        tree = ast.parse(text)
        self.imported = sorted(set(_imported(tree, package)))
        self.digest = hashlib.sha256(ast.dump(_without_docstrings(tree)).encode()).hexdigest()


def code_files(objects: Iterable[object], package: Path) -> dict[str, CodeFile]:
    """Return the modules of some objects and all modules of honem that they import, by name."""
    found: dict[str, CodeFile] = {}
    waiting = [_module_of(thing) for thing in objects]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = _read(name, package)
            waiting += found[name].imported
    return found


def _module_of(thing: object) -> str:
    """Return the name of the module in which a class or function, or the class of an instance, is defined."""
    named = thing if isinstance(thing, type) or hasattr(thing, "__qualname__") else type(thing)
    return str(named.__module__)


def _read(name: str, package: Path) -> CodeFile:
    file = _file_of(name, package)
    if file is None:
        # Code typed at a prompt cannot be read back: a hash that never comes again keeps stale results from being used.
        return CodeFile(f"unreadable = {uuid4().hex!r}", package)
    return _parsed(file, file.stat().st_mtime_ns, package)


@cache
def _parsed(file: Path, changed: int, package: Path) -> CodeFile:
    return CodeFile(file.read_text(encoding="utf-8"), package)


def _file_of(name: str, package: Path) -> Path | None:
    """Return the source file of a module of honem, or of another one that is imported."""
    if name == "honem" or name.startswith("honem."):
        place = package.joinpath(*name.split(".")[1:])
        return next((file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file()), None)
    file = getattr(sys.modules.get(name), "__file__", None)
    return None if file is None else Path(file)


def _imported(tree: ast.AST, package: Path) -> Iterator[str]:
    """Yield the modules of honem that a module imports, except for type checking and those that are not followed."""
    for name in _import_names(tree):
        if name.startswith("honem.") and not name.startswith(tuple(f"{part}." for part in NOT_FOLLOWED)):
            # `from honem.a import b`: either the module honem.a.b, or the name b of the module honem.a.
            module = name if _file_of(name, package) else name.rpartition(".")[0]
            if module not in ("honem", *NOT_FOLLOWED):
                yield module
            elif module == "honem":
                yield from _home(name.rpartition(".")[2])


def _import_names(node: ast.AST) -> Iterator[str]:
    """Yield `a.b` for `import a.b`, and `a.b` for `from a import b`, in a syntax tree."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    for child in ast.iter_child_nodes(node):
        yield from _import_names(child)


def _home(name: str) -> Iterator[str]:
    """Yield the module in which a public name of honem is defined, unless it is not followed."""
    module = getattr(getattr(honem, name, None), "__module__", "")
    if module.startswith("honem.") and not module.startswith(tuple(f"{part}." for part in NOT_FOLLOWED)):
        yield module


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    return tree


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a bare string: a docstring, or the description of a constant."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
