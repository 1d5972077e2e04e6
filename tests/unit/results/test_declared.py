import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

import jsonschema
import numpy as np

from latitude.results.declared import (
    Columns,
    Count,
    FloatColumn,
    Hidden,
    IntegerColumn,
    Nanoseconds,
    Part,
    Result,
    Unbounded,
    parts_csv,
)
from support.schema_files import schema_of


class Step(Part, frozen=True, kw_only=True):
    name: str
    limit: Unbounded
    """Infinite where there is no limit."""


class Ranks(Columns, frozen=True, kw_only=True):
    rank: IntegerColumn
    calc_ns: FloatColumn
    """Time in computation, ns."""


@dataclass(frozen=True)
class Origin:
    """Origin of a value."""

    host: str
    rank: int | None = None
    """Rank of the value; None if there is only one."""


class Toy(Result, frozen=True, kw_only=True):
    """A toy."""

    SCHEMA: ClassVar[str] = "latitude.toy/1"

    T_ns: Nanoseconds
    """Runtime."""
    messages: Count
    steps: list[Step]
    by_rank: Ranks
    origin: list[Origin]
    cache: Annotated[dict[str, int], Hidden]


TOY = Toy(
    T_ns=2.5,
    messages=3,
    steps=[Step(name="a", limit=math.inf), Step(name="b", limit=1.0)],
    by_rank=Ranks(rank=np.array([0, 1]), calc_ns=np.array([0.5, 2.0])),
    origin=[Origin("a")],
    cache={"x": 1},
)


def test_a_result_is_its_fields_in_order_without_the_hidden_ones() -> None:
    assert TOY.to_dict() == {
        "schema": "latitude.toy/1",
        "T_ns": 2.5,
        "messages": 3,
        "steps": [{"name": "a", "limit": None}, {"name": "b", "limit": 1.0}],
        "by_rank": [{"rank": 0, "calc_ns": 0.5}, {"rank": 1, "calc_ns": 2.0}],
        "origin": [{"host": "a", "rank": None}],
    }
    assert next(iter(TOY.to_dict())) == "schema"


def test_the_schema_describes_what_the_result_becomes() -> None:
    schema = schema_of(Toy)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(TOY.to_dict(), schema)
    assert schema["$id"] == "latitude.toy/1"
    assert schema["description"] == "A toy."
    assert schema["properties"]["T_ns"] == {
        "description": "Runtime.",
        "type": "number",
        "minimum": 0,
    }
    assert schema["required"] == ["schema", "T_ns", "messages", "steps", "by_rank", "origin"]
    assert "cache" not in schema["properties"]
    assert schema["$defs"]["Origin"]["required"] == ["host", "rank"]
    rank = schema["$defs"]["Origin"]["properties"]["rank"]
    assert rank["description"] == "Rank of the value; None if there is only one."
    rows = schema["$defs"]["Ranks"]
    assert rows["type"] == "array"
    assert rows["items"]["properties"]["calc_ns"]["type"] == "number"


def test_the_schema_refuses_what_does_not_belong_there() -> None:
    validator = jsonschema.Draft202012Validator(schema_of(Toy))
    good = TOY.to_dict()
    for wrong in ({**good, "more": 1}, {**good, "T_ns": -1.0}, {**good, "T_ns": None}):
        assert not validator.is_valid(wrong)
    assert not validator.is_valid({key: good[key] for key in good if key != "steps"})


def test_rows_become_csv_and_data_frames() -> None:
    assert TOY.by_rank.to_csv() == "rank,calc_ns\n0,0.5\n1,2.0\n"
    assert TOY.by_rank.to_dataframe()["calc_ns"].tolist() == [0.5, 2.0]
    assert parts_csv(TOY.steps, Step) == "name,limit\na,inf\nb,1.0\n"
