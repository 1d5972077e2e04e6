"""What `background correlate` found as plain data: JSON of `latitude.background.correlate/1`."""

from dataclasses import asdict

from latitude.cluster.advice.score import Score
from latitude.cluster.correlate import Study
from latitude.files.provenance import stamped
from latitude.files.text import finite, json_text

SCHEMA = "latitude.background.correlate/1"


def to_json(study: Study, score: Score | None, untested: str) -> str:
    """The study, and how well the tail could have been foreseen, or why that is not known."""
    forecast = None if score is None else {**asdict(score), "skill": score.skill}
    content = {**study.to_dict(), "forecast": forecast, "forecast_untested": untested or None}
    return json_text(finite(stamped(SCHEMA, content)))
