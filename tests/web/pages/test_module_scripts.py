"""A page preloads every module that its own modules import, and lists none by hand."""

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles.finders import get_finder
from django.template import Context, Template
from django.test import override_settings

from kschedui.web.http.module_scripts import list_imports
from tests.conftest import ROOT

MODULE = re.compile(r"<script[^>]*type=.module.")


def test_a_page_preloads_what_its_module_imports_and_what_that_imports(tmp_path: Path) -> None:
    files = {
        "one.js": 'import { b } from "./two.js";\n/** import("./types.js") */\nvoid import("./later.js");\n',
        "two.js": 'import {\n\ta,\n} from "./deep/three.js";\nimport "./four.js";\n',
        "deep/three.js": 'export { c } from "../four.js";\n',
        "four.js": 'import{d}from"./five.js";import{e}from"./six.js";export{e};',  # as a bundler writes it
        "five.js": "",
        "six.js": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with override_settings(STATICFILES_DIRS=[tmp_path]):
        get_finder.cache_clear()
        assert list_imports("one.js") == ["two.js", "deep/three.js", "four.js", "five.js", "six.js"]
        page = Template('{% module_script "one.js" %}').render(Context())
        assert page.count("modulepreload") == 5
        assert page.endswith('<script type="module" src="/static/one.js"></script>')

        (tmp_path / "one.js").write_text('import { c } from "./missing.js";\n')
        with pytest.raises(ValueError, match=r"missing\.js, which is not below static/"):
            list_imports("one.js")
    get_finder.cache_clear()  # Django caches the finders with their folders


def test_every_module_of_a_page_comes_with_what_it_imports() -> None:
    for template in (ROOT / "templates").rglob("*.html"):
        assert not MODULE.search(template.read_text()), f"{template.name}: use module_script"
