"""Log messages on stderr, for the time of a command only."""

from __future__ import annotations

import logging

import pytest

from honem.cli.messages import messages_on_stderr


def test_messages_are_shown_while_a_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("honem.anything")
    with messages_on_stderr():
        logger.info("reading")
        logger.debug("a detail")
    logger.warning("afterwards")
    assert capsys.readouterr() == ("", "honem: reading\n")
    assert logging.getLogger("honem").handlers == []
    assert logging.getLogger("honem").level == logging.NOTSET
