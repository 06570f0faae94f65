"""The JSON Schema of a map file, for editors and for whoever writes one by hand."""

import json

from onefate.broker.journey.models import MapDefinition
from onefate.broker.journey.values import Json


def map_json_schema() -> dict[str, Json]:
    """The schema of a map in wire form; what only a function can say is left out of it."""
    schema: dict[str, Json] = MapDefinition.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def map_json_schema_text() -> str:
    """The schema as a file: the same text every time, so that a kept copy can be compared."""
    return json.dumps(map_json_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
