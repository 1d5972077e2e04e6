"""What `background correlate` found as plain data: JSON of `latitude.background.correlate/1`."""

from dataclasses import asdict

from latitude.background.correlate import Study
from latitude.background.forecast.score import Score
from latitude.plain import finite, json_text
from latitude.provenance import stamped

SCHEMA = "latitude.background.correlate/1"


def to_json(study: Study, score: Score | None, untested: str) -> str:
    """The study, and how well the tail could have been foreseen, or why that is not known."""
    forecast = None if score is None else {**asdict(score), "skill": score.skill}
    content = {**study.to_dict(), "forecast": forecast, "forecast_untested": untested or None}
    return json_text(finite(stamped(SCHEMA, content)))
