"""Checks arguments against the usual kinds of JSON Schema."""

import json

from refusal import Refusal


def is_number(value):
    # In Python, True is an integer.
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "number": is_number,
    "integer": lambda value: is_number(value) and isinstance(value, int),
}

# Each rule returns what is wrong with a value of the right type, or None.
RULES = {
    "enum": lambda value, allowed: value not in allowed and f"must be one of {json.dumps(allowed)}",
    "minimum": lambda value, least: value < least and f"must be {least} or more",
    "maximum": lambda value, most: value > most and f"must be {most} or less",
    "minLength": lambda value, least: len(value) < least and f"must have {least} characters or more",
    "maxLength": lambda value, most: len(value) > most and f"must have {most} characters or less",
    "minItems": lambda value, least: len(value) < least and f"must have {least} items or more",
    "maxItems": lambda value, most: len(value) > most and f"must have {most} items or less",
}
CHECKED = {"type", "properties", "required", "additionalProperties", "items", *RULES}
ANNOTATIONS = {"title", "description", "examples", "default"}


def assert_checkable(schema):
    """Rejects a schema that `check` does not fully support. For other keywords, use the package
    jsonschema."""
    unknown = set(schema) - CHECKED - ANNOTATIONS
    is_open = schema.get("type") == "object" and schema.get("additionalProperties") is not False
    if unknown or is_open or schema.get("type") not in TYPES:
        raise ValueError(f"check() cannot check this schema: {json.dumps(schema)}")
    for nested in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
        assert_checkable(nested)


def check(schema, value, name):
    """Converts nothing: a 400 teaches the model that it sent the wrong type."""
    if not TYPES[schema["type"]](value):
        raise Refusal(400, f"{name} must be of type {schema['type']}.")
    for keyword, rule in RULES.items():
        problem = keyword in schema and rule(value, schema[keyword])
        if problem:
            raise Refusal(400, f"{name} {problem}.")
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            check(schema["items"], item, f"{name}[{index}]")
    if isinstance(value, dict):
        check_members(schema, value)


def check_members(schema, value):
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            raise Refusal(400, f"{name} is missing.")
    for name, member in value.items():
        if name not in properties:
            raise Refusal(400, f"There is no argument {name}.")
        check(properties[name], member, name)
