"""Output formats: vectors, networks, rules and profiles in files that other tools read.

Each format is one module of this package that registers itself (see `honem.io.formats.registry`). All modules are
imported here, so a new format needs no other change.
"""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
