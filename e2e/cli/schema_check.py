"""The part of JSON Schema that our published schemas use; an unknown keyword is an error, so that none is passed over."""

import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}


def is_a(value, name: str) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def check(value, schema: dict, root: dict | None = None, where: str = "$") -> None:
    """AssertionError naming the place where `value` breaks `schema`."""
    root = root or schema
    if "$ref" in schema:
        check(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, where)
        return
    for key, wanted in schema.items():
        if key in ANNOTATIONS:
            continue
        elif key == "type":
            assert any(is_a(value, name) for name in ([wanted] if isinstance(wanted, str) else wanted)), f"{where}: {value!r} is no {wanted}"
        elif key == "const":
            assert value == wanted, f"{where}: {value!r} is not {wanted!r}"
        elif key == "enum":
            assert value in wanted, f"{where}: {value!r} is none of {wanted}"
        elif key == "pattern":
            assert re.search(wanted, value), f"{where}: {value!r} does not match {wanted}"
        elif key == "minimum":
            assert value >= wanted, f"{where}: {value} < {wanted}"
        elif key == "maximum":
            assert value <= wanted, f"{where}: {value} > {wanted}"
        elif key in ("minItems", "minLength"):
            assert len(value) >= wanted, f"{where}: shorter than {wanted}"
        elif key == "required":
            missing = [name for name in wanted if name not in value]
            assert not missing, f"{where}: lacks {missing}"
        elif key == "properties":
            unknown = sorted(set(value) - set(wanted))
            assert not unknown, f"{where}: {unknown} are not in the schema"
            for name, part in wanted.items():
                if name in value:
                    check(value[name], part, root, f"{where}.{name}")
        elif key == "items":
            for index, item in enumerate(value):
                check(item, wanted, root, f"{where}[{index}]")
        else:
            raise AssertionError(f"{where}: keyword {key} is not understood")
