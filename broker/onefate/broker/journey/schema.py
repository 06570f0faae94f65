"""The JSON Schema of a map file, for editors and for whoever writes one by hand."""

import json

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from onefate.broker.journey.models import MapDefinition
from onefate.broker.journey.values import Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _WireSchema(GenerateJsonSchema):
    """What may be left out is never null in a file; keys speak for themselves."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - the base names it
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def map_json_schema() -> dict[str, Json]:
    """The schema of a map in wire form; what only a function can say is left out of it."""
    schema = MapDefinition.model_json_schema(by_alias=True, schema_generator=_WireSchema)
    return {"$schema": DIALECT, **schema}


def map_json_schema_text() -> str:
    """The schema as a file: the same text every time, so that a kept copy can be compared."""
    return json.dumps(map_json_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
