"""Addresses of static files. An address changes with the file, so browsers can cache files without asking again."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from time import monotonic
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

LOOK_SECONDS = 0.2  # for which a digest is reused: a page contains a hundred addresses


class TreeStorage(StaticFilesStorage):
    """Development: /static/tree-DIGEST/js/main.js, with a digest of the whole tree.

    Modules and stylesheets refer to each other by relative addresses, so their text need not change.
    """

    def url(self, name: str | None) -> str:
        """Return the address of a file under the current digest of the tree."""
        return super().url(f"tree-{tree()}/{name}")


def split_address(path: str) -> tuple[str, str]:
    """Return the digest in an address of TreeStorage, "" without one, and the address without it."""
    match = re.match(settings.STATIC_URL + "tree-([0-9a-f]+)/", path)
    return (match[1], settings.STATIC_URL + path[match.end() :]) if match else ("", path)


def tree() -> str:
    """Return a digest of the names, sizes and times of the files below static/."""
    return _tree(int(monotonic() / LOOK_SECONDS))


@lru_cache(maxsize=1)
def _tree(look: int) -> str:
    """Return the digest, cached by `look`, the number of the current interval of LOOK_SECONDS."""
    digest = sha256()
    for folder in settings.STATICFILES_DIRS:
        for path, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                with suppress(FileNotFoundError):  # an editor's lock file is a link to nothing
                    file = os.stat(os.path.join(path, name))
                    digest.update(f"{path}/{name} {file.st_size} {file.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:12]


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Production: content-hashed names, in native ES modules too: `import "./state.js"` is rewritten."""

    support_js_module_import_aggregation = True
    max_post_process_passes = 40  # one for each import on the longest chain; modules that import each other never end

    def url_converter(self, *args: Any, **kwargs: Any) -> Callable[[re.Match[str]], str]:
        """Convert as Django does, except for `import("./state")` in a JSDoc comment, which loads no file."""
        convert: Callable[[re.Match[str]], str] = super().url_converter(*args, **kwargs)
        return lambda match: match["matched"] if in_comment(match.string, match.start()) else convert(match)


def in_comment(text: str, at: int) -> bool:
    """Return whether this position is inside /* ... */ or after //.

    No module contains either in a string before an import.
    """
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
    return text.rfind("/*", 0, at) > text.rfind("*/", 0, at) or line.startswith("//")
