"""`{% module_script "js/player/main.js" %}`: a page's module, and a preload link for every module that it imports.

The browser then requests all of them at once instead of one after another. The list is the import graph of the files;
dynamic `import()` calls are not part of it.
"""

import re
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

IMPORT = re.compile(r"""(?:^|;)(?:import|export)\b(?:[^"';()]*\bfrom)?\s*["'](\.[^"']+)["']""", re.MULTILINE)


@register.simple_tag
def module_script(name: str) -> SafeString:
    """Return preload links and the script element of a module, given by its path below static/."""
    return build_elements(name, static(name))


@lru_cache(maxsize=64)
def build_elements(name: str, address: str) -> SafeString:
    """Return the elements, built again when `address`, and so a file, has changed."""
    links = format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(path),) for path in list_imports(name))
    )
    return format_html('{}\n<script type="module" src="{}"></script>', links, address)


def list_imports(name: str) -> list[str]:
    """Return every module that a module imports, directly or indirectly, in the order in which a browser finds them."""
    known = {name: None}
    queue = [name]
    while queue:
        for path in imports(queue.pop(0)):
            if path not in known:
                known[path] = None
                queue.append(path)
    return list(known)[1:]


def imports(name: str) -> list[str]:
    """Return the modules in the import statements of a module."""
    paths = IMPORT.findall(find(name).read_text(encoding="utf-8"))
    return [normpath(join(dirname(name), path)) for path in paths]


def find(name: str) -> Path:
    """Return the file of a module. Raises ValueError if there is none."""
    path = finders.find(name)
    if path is None:
        raise ValueError(f"a page or a module imports {name}, which is not below static/")
    return Path(path)
