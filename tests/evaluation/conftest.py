"""Modules in `toys` register themselves when they are imported, so only the tests that need them import them."""

collect_ignore_glob = ["toys/*"]
