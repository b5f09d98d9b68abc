"""One function per kind of content, such as `write_vectors` or `write_rules`, for all registered formats."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from honem._internal.path_like import PathLike
from honem.errors import ParameterError
from honem.io.atomic import check_file_place
from honem.io.formats.registry import OutputFormat, OutputKind, find_format
from honem.io.formats.text import STDOUT

if TYPE_CHECKING:
    from honem.embedding import Embedding
    from honem.network import Network
    from honem.profile import NodeProfile
    from honem.rules import RuleTable

STDOUT_FORMATS: dict[OutputKind, str] = {"rules": "jsonl", "profile": "csv"}
"""The format that is written to stdout if none is named."""


def write_vectors(embedding: Embedding, path: PathLike, *, format: str | None = None, **options: Any) -> None:
    """Write the vectors of an embedding to a file.

    Parameters
    ----------
    embedding : Embedding
        The vectors and their nodes.
    path : str or os.PathLike
        File to write. It is written atomically: after an error the previous file is unchanged.
    format : str, optional
        Name of the format, such as "parquet", "csv", "npy", "npz", "word2vec" or "projector". Default: inferred from
        the file extension.
    **options
        Options of the format: ``vectors`` ("source", "target" or "both"; default "source") for npy, word2vec and
        projector, ``spreadsheet_safe`` (default False) for csv, ``labels`` (a `NodeLabels`) for embedding-atlas.

    Raises
    ------
    ParameterError
        If the format is unknown or does not have an option.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from honem import HONEM
    >>> embedding = HONEM(n_components=1, preset="paper").fit([["home", "downtown", "office"]] * 20).embedding_
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_vectors(embedding, f"{folder}/vectors.csv")
    ...     print(pathlib.Path(folder, "vectors.csv").read_text().splitlines()[0])
    node,source_0,target_0
    """
    plan_output(path, "vectors", format, options).write(embedding, path, **options)


def write_rules(rules: RuleTable, path: PathLike, *, format: str | None = None, **options: Any) -> None:
    """Write rules to a file, one row per context and target.

    Parameters
    ----------
    rules : RuleTable
        The rules.
    path : str or os.PathLike
        File to write, or ``"-"`` for stdout. A file is written atomically: after an error the previous file is
        unchanged.
    format : str, optional
        Name of the format, such as "jsonl", "csv", "parquet" or "ngram". Default: inferred from the file extension;
        JSON lines on stdout.
    **options
        Options of the format: ``order`` (only rules of this order; default all) for ngram, ``spreadsheet_safe``
        (default False) for csv.

    Raises
    ------
    ParameterError
        If the format is unknown or does not have an option.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from honem import Corpus, extract_rules
    >>> rules = extract_rules(Corpus.from_sequences([["home", "office"]] * 3), engine="reference")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_rules(rules, f"{folder}/rules.ngram")
    ...     print(pathlib.Path(folder, "rules.ngram").read_text().strip())
    home,office,3
    """
    plan_output(path, "rules", format, options).write(rules, path, **options)


def write_network(network: Network, path: PathLike, *, format: str | None = None, **options: Any) -> None:
    """Write a network to a file.

    Parameters
    ----------
    network : Network
        A first-order or higher-order network.
    path : str or os.PathLike
        File to write. It is written atomically: after an error the previous file is unchanged.
    format : str, optional
        Name of the format, such as "csv", "graphml", "gexf" or "infomap". Default: inferred from the file extension.
    **options
        Options of the format: ``spreadsheet_safe`` (default False) for csv.

    Raises
    ------
    ParameterError
        If the format is unknown or does not have an option.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from honem import Corpus, first_order_network
    >>> network = first_order_network(Corpus.from_sequences([["home", "office"]] * 3))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_network(network, f"{folder}/network.csv")
    ...     print(pathlib.Path(folder, "network.csv").read_text().strip())
    source,target,count,probability
    home,office,3,1.0
    """
    plan_output(path, "network", format, options).write(network, path, **options)


def write_profile(profile: NodeProfile, path: PathLike, *, format: str | None = None, **options: Any) -> None:
    """Write the profile of nodes to a file, one row per node.

    Parameters
    ----------
    profile : NodeProfile
        The profile.
    path : str or os.PathLike
        File to write, or ``"-"`` for stdout. A file is written atomically: after an error the previous file is
        unchanged.
    format : str, optional
        Name of the format, "csv" or "parquet". Default: inferred from the file extension; CSV on stdout.
    **options
        Options of the format: ``spreadsheet_safe`` (default False) for csv.

    Raises
    ------
    ParameterError
        If the format is unknown or does not have an option.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from honem import HONEM
    >>> profile = HONEM(n_components=1).fit([["home", "downtown", "office"]] * 20).profile()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_profile(profile, f"{folder}/profile.csv")
    ...     print(pathlib.Path(folder, "profile.csv").read_text().splitlines()[1][:16])
    home,20,0,20,0,1
    """
    plan_output(path, "profile", format, options).write(profile, path, **options)


def plan_output(
    path: PathLike, kind: OutputKind | None = None, name: str | None = None, options: Mapping[str, Any] | None = None
) -> OutputFormat:
    """Return the format for a file to be written, after checking everything that can be checked without writing.

    Parameters
    ----------
    path : str or os.PathLike
        File to write, or ``"-"`` for stdout.
    kind : {"vectors", "network", "rules", "profile"}, optional
        What is written. Default: the first kind that the format exists for.
    name : str, optional
        Name of the format. Default: inferred from the file extension.
    options : mapping, optional
        Options for the format.

    Returns
    -------
    OutputFormat

    Raises
    ------
    ParameterError
        If the format is unknown, does not have an option, or cannot be written to stdout.
    OutputError
        If no file can be written there.
    """
    is_stdout = os.fspath(path) == STDOUT
    if is_stdout and name is None and kind is not None:
        name = STDOUT_FORMATS.get(kind)
    format = find_format(path, name, kind)
    format.require_options(options or {})
    if is_stdout and not format.to_stdout:
        raise ParameterError(f"{format.name} cannot be written to stdout; write it to a file")
    if not is_stdout:
        check_file_place(path)
    return format
