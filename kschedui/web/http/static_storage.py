"""Names and compression of static files in production."""

import re
from collections.abc import Callable
from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleManifestStorage(CompressedManifestStaticFilesStorage):
    """Content-hashed names that are also replaced in native ES modules: `import "./state.js"` is rewritten."""

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
