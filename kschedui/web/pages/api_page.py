"""The API documentation as a page, generated from the OpenAPI document without scripts."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kschedui.web.api.v1 import api
from kschedui.web.http.problems import PROBLEMS
from kschedui.web.pages.page_view import page_view

Schema = dict[str, Any]


@page_view
@require_safe
def documentation(request: HttpRequest) -> HttpResponse:
    """Show /api/v1/docs with api.html: `document` (api_document.html)."""
    return render(request, "api.html", {"document": render_document()})


@cache
def render_document() -> SafeString:
    """Return api_document.html, which is in English for everybody and takes a tenth of a second: `groups` [(tag,
    [operation])], `shapes` [(name, fields)], `problems` [(code, status, when)].
    """
    document = api.get_openapi_schema()
    groups: dict[str, list[Schema]] = {}
    for path, methods in document["paths"].items():
        for method, details in methods.items():
            groups.setdefault(details["tags"][0], []).append(operation(path, method, details))
    schemas = document["components"]["schemas"]
    shapes = [(name, fields_of(schema)) for name, schema in schemas.items() if "properties" in schema]
    problems = [(code, status, when) for code, (status, _, when) in PROBLEMS.items()]
    return render_to_string("api_document.html", {"groups": groups.items(), "shapes": shapes, "problems": problems})


def operation(path: str, method: str, schema: Schema) -> Schema:
    """Describe an operation: {id, path, method, summary, description, scope, parameters, body, answers}."""
    about = {key: schema.get(key, "") for key in ("summary", "description")}
    parameters = [
        {
            "name": parameter["name"],
            "place": parameter["in"],
            "required": parameter["required"],
            "type": kind(parameter["schema"]),
        }
        for parameter in schema["parameters"]
    ]
    body = [
        link(media, content["schema"]) for media, content in schema.get("requestBody", {}).get("content", {}).items()
    ]
    answers = [
        (status, link(media, content["schema"]))
        for status, answer in schema["responses"].items()
        if status != "default"
        for media, content in answer.get("content", {"": {"schema": {}}}).items()
    ]
    row = {"id": schema["operationId"], "path": path, "method": method.upper(), "scope": schema["x-scope"]}
    return {**row, **about, "parameters": parameters, "body": body, "answers": answers}


def link(media: str, schema: Schema) -> tuple[str, str, str]:
    """Return (media type, type in words, name of the schema to link to, or "")."""
    return media, kind(schema), name_in(schema) or name_in(schema.get("items", {}))


def name_in(schema: Schema) -> str:
    """Return the name in a reference; "" for anything else."""
    name: str = schema.get("$ref", "").rpartition("/")[2]
    return name


def fields_of(schema: Schema) -> list[Schema]:
    """Return the fields of a schema: [{name, type, required, description}]."""
    required = schema.get("required", [])
    return [
        {
            "name": name,
            "type": kind(property_schema),
            "required": name in required,
            "description": property_schema.get("description", ""),
        }
        for name, property_schema in schema["properties"].items()
    ]


def kind(schema: Schema) -> str:
    """Return a type for readers: a name, alternatives, or a JSON type."""
    if not isinstance(schema, dict):  # `true`: anything
        return "any"
    if name := name_in(schema):
        return name
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"])) if len(schema["enum"]) < 9 else "string"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(kind, schema["anyOf"])))
    if schema.get("type") == "array":
        return f"[{kind(schema.get('items', {}))}]"
    return str(schema.get("type", schema.get("const", "")))
