"""A campaign's files on disk, damaged or with wrong content."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from latitude import InputError
from latitude.experiments.record import failure_file, read_run, read_runs, run_file, write_run
from latitude.lab.campaign.claims import Claims
from latitude.lab.campaign.directory import Directory
from latitude.lab.campaign.plan import plan
from latitude.lab.campaign.read import read_campaign
from latitude.lab.campaign.work import work
from latitude.results.runs import RunRecord
from support.command import Run

CAMPAIGN = """\
[campaign]
repetitions = 2
[[programs]]
name = "a"
launch = "true"
[[levels]]
latency = "lognormal(mean=50us,sd=20us)"
"""
RUN = RunRecord(
    run_id="r",
    campaign="c",
    program="halo",
    ranks=8,
    level="20us",
    family=None,
    kind="constant",
    layer="flow",
    asked_mean_ns=20_000.0,
    asked_sd_ns=0.0,
    achieved_mean_ns=20_100,  # a whole number where the column holds floats
    achieved_sd_ns=None,
    late_mean_ns=250.0,
    load=None,
    seed=1,
    repetition=1,
    order=1,
    attempt=1,
    status="ok",
    exit_code=0,
    runtime_ns=1.25e9,
    wall_ns=1.5e9,
    messages=12_000,
    started="2026-01-01T00:00:00+00:00",
    host="node1",
    nodes="node[1-2]",
    b_before=None,
    b_after=None,
    error=None,
)


def test_a_flipped_byte_never_changes_what_a_run_says(tmp_path: Path) -> None:
    path = run_file(tmp_path, "r")
    assert write_run(path, RUN, {"version": "1", "stdout": "héllo"})
    good, content = read_run(path), path.read_bytes()
    assert good[0] == RUN
    refused = 0
    for at in range(0, len(content), 7):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :])
        try:
            found = read_run(path)
        except InputError:
            refused += 1
        else:
            assert found == good, at
    assert refused > len(content) // 28


def test_a_file_that_has_the_name_of_another_run_is_refused(tmp_path: Path) -> None:
    """The run would count twice."""
    for run_id in ("r", "s"):
        write_run(run_file(tmp_path, run_id), replace(RUN, run_id=run_id), {"version": "1"})
    assert len(read_runs(tmp_path)) == 2
    copied = run_file(tmp_path, "r").read_bytes()
    run_file(tmp_path, "s").write_bytes(copied)
    with pytest.raises(InputError) as caught:
        read_runs(tmp_path)
    assert str(caught.value) == (
        f"{run_file(tmp_path, 's')}: holds attempt 1 of run r; move it out of the directory, and "
        "the run is made again"
    )
    run_file(tmp_path, "s").unlink()
    failed = failure_file(tmp_path, "r", 2)
    failed.parent.mkdir()
    failed.write_bytes(copied)
    with pytest.raises(InputError, match=r"r-2\.parquet: holds attempt 1 of run r"):
        read_runs(tmp_path, failures=True)
    failed.rename(failure_file(tmp_path, "r", 1))
    assert len(read_runs(tmp_path, failures=True)) == 2
    elsewhere = tmp_path / "copied.parquet"
    elsewhere.write_bytes(copied)
    assert read_run(elsewhere)[0] == replace(RUN, run_id="r")


def test_a_changed_runtime_is_named(tmp_path: Path) -> None:
    path = run_file(tmp_path, "r")
    write_run(path, RUN, {"version": "1"})
    content = path.read_bytes()
    at = content.index(b"halo")
    path.write_bytes(content[:at] + b"hale" + content[at + 4 :])
    with pytest.raises(InputError, match="SHA-256"):
        read_runs(tmp_path)


def test_a_file_without_a_column_or_without_a_digest_is_none_of_ours(tmp_path: Path) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    path = run_file(tmp_path, "r")
    write_run(path, RUN, {"version": "0"})
    table = pq.read_table(path)
    other = table.replace_schema_metadata({b"latitude.campaign.run/1": b'{"version": "0"}'})
    for changed in (table.drop_columns(["load"]), other):
        pq.write_table(changed, path)
        with pytest.raises(InputError, match="not a run of a campaign"):
            read_run(path)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "null",
        "{}",
        '{"schema": "latitude.campaign.plan/1"}',
        "[" * 100_000,
        '{"schema": ' + "[" * 100_000,
        "\udcff",
        "1" * 5_001,
    ],
    ids=["list", "null", "empty", "fields", "nested", "nested inside", "UTF-8", "digits"],
)
def test_what_is_no_plan_is_one_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=r"plan\.json: not a campaign's plan") as error:
        Directory.opened(tmp_path)
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize("name", ["program", "level"])
def test_a_plan_whose_runs_are_of_nothing_is_one_error(tmp_path: Path, name: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(CAMPAIGN)
    directory = Directory.prepared(plan(read_campaign(file)), changed=False).path
    found = json.loads((directory / "plan.json").read_text())
    found["runs"][1][name] = "another"
    (directory / "plan.json").write_text(json.dumps(found))
    with pytest.raises(InputError, match="a run is of 'another', which is not in it"):
        Directory.opened(directory)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(CAMPAIGN)
    planned = plan(read_campaign(file))
    path = Directory.prepared(planned, changed=False).path
    opened = Directory.opened(path).plan
    assert [run.id for run in opened.runs] == [run.id for run in planned.runs]
    assert opened.campaign.programs == planned.campaign.programs
    (before,), (after,) = planned.campaign.levels, opened.campaign.levels
    assert before.table is not None
    assert after.table is not None
    assert (before.table.values == after.table.values).all()
    text = (path / "plan.json").read_text()
    Directory.prepared(planned, changed=False)
    assert (path / "plan.json").read_text() == text


def test_a_run_that_another_runner_is_writing_is_not_there_yet(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CAMPAIGN)
    directory = Directory.prepared(plan(read_campaign(tmp_path / "c.toml")), changed=False)
    pending = directory.pending()
    path = run_file(directory.path, pending[0].id)
    path.parent.mkdir(exist_ok=True)
    path.with_name(f".{path.stem}.hl8x2wud.parquet").touch()
    assert directory.pending() == pending


def test_a_campaign_of_too_many_runs_is_refused_at_once(latitude: Run, tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text(CAMPAIGN.replace("= 2", "= 1_000_000_000_000"))
    done = latitude("campaign", "run", tmp_path / "c.toml", "--dry-run")
    assert done.returncode == 2
    assert "a campaign has at most 100,000" in done.stderr


def test_a_claim_that_is_none_is_one_error(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    claim = claims.take("r", 1)
    assert claim is not None
    assert claims.holder("r", 1) is not None
    claim.path.write_text("[]")
    with pytest.raises(InputError, match="not a claim; remove it"):
        claims.holder("r", 1)


@pytest.mark.parametrize("text", ["[]", '{"shares": [[1]]}', "[" * 100_000])
def test_a_list_of_runs_that_is_none_is_one_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(CAMPAIGN)
    directory = Directory.prepared(plan(read_campaign(file)), changed=False).path
    shares = tmp_path / "shares.json"
    shares.write_text(text)
    with pytest.raises(InputError, match="not a list of runs"):
        work(directory, (), shares, 0)


def test_a_file_that_is_being_written_is_no_run(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text(CAMPAIGN)
    directory = Directory.prepared(plan(read_campaign(file)), changed=False)
    hidden = directory.path / "runs" / ".0123456789abcdef.xyz.parquet"
    hidden.parent.mkdir(exist_ok=True)
    hidden.write_bytes(b"PAR1")
    assert len(directory.pending()) == len(directory.plan.runs)
