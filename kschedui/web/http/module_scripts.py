"""`{% module_script "js/player/main.js" %}`: a page's module, and a preload link for every module that it imports.

The browser then asks for all of them at once, and not for one after another as each is read. The list is the import
graph of the files themselves; a dynamic `import()` is no part of it.
"""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

IMPORT = re.compile(r"""(?:^|;)(?:import|export)\b(?:[^"';()]*\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE)


@register.simple_tag
def module_script(name: str) -> SafeString:
    """Preload links and the script element of a module, named by its path below static/."""
    links = format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(one),) for one in list_imports(name))
    )
    return format_html('{}\n<script type="module" src="{}"></script>', links, static(name))


def list_imports(name: str) -> list[str]:
    """Return every module that a module imports, directly or not, in the order in which a browser meets them."""
    met = {name: None}
    queue = [name]
    while queue:
        for path in imports(queue.pop(0)):
            if path not in met:
                met[path] = None
                queue.append(path)
    return list(met)[1:]


def imports(name: str) -> list[str]:
    """Return the modules that one names in its import statements."""
    file = find(name)
    return [normpath(join(dirname(name), path)) for path in _paths(file, file.stat().st_mtime_ns)]


def find(name: str) -> Path:
    """Return the file of a module; ValueError where there is none."""
    found = _find_again(name) if settings.DEBUG else _find_once(name)
    if found is None:
        raise ValueError(f"a page or a module imports {name}, which is not below static/")
    return Path(found)


def _find_again(name: str) -> str | None:
    return finders.find(name)


_find_once = cache(_find_again)


@cache
def _paths(file: Path, _changed: int) -> list[str]:
    return IMPORT.findall(file.read_text(encoding="utf-8"))
