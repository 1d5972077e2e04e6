"""Campaigns on this machine: what a run leaves, failures, time limits, crashes, company."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from latitude.lab.campaign import read_run
from latitude.lab.campaign.claims import Claims
from support.campaigns.campaign import Campaign, until
from support.hanging import HANG_S
from support.schemas import document

GO = "go"
"""A file: what waits for it goes on."""


def waits(nth: int = 1) -> str:
    """Words of a run that waits to be seen, from the nth one on."""
    return f"until [ -e {GO} ] || [ $(grep -c begin log) -lt {nth} ]; do sleep 0.02; done"


def go_on(campaign: Campaign) -> None:
    (campaign.folder / GO).touch()


def test_every_run_is_made_once_and_recorded(campaign: Campaign) -> None:
    campaign.write("true", ["a", "b"], repetitions=3)
    done = campaign.run()
    assert done.returncode == 0, done.stderr
    runs = campaign.runs()
    assert set(runs["run_id"]) == campaign.planned()
    assert len(runs) == 6
    assert campaign.log() == {"begin": 6, "end": 6}
    assert (runs["status"] == "ok").all()
    assert (runs["runtime_ns"] == 1.5e9).all()
    assert (runs["wall_ns"] > 0).all()
    assert list(runs["order"]) == [1, 2, 3, 4, 5, 6]
    assert sorted(runs["repetition"]) == [1, 1, 2, 2, 3, 3]
    assert "6/6" in done.stderr
    assert "6 of 6 runs ok" in done.stdout
    run, provenance = read_run(campaign.directory / "runs" / f"{runs['run_id'][0]}.parquet")
    assert run.program == "script"
    assert provenance["launch"][0] == "sh"
    assert provenance["stdout"] == "took 1.5\n"
    assert not list((campaign.directory / "claims").iterdir())
    assert not list((campaign.directory / "scratch").iterdir())
    again = campaign.run()
    assert again.returncode == 0
    assert campaign.log() == {"begin": 6, "end": 6}


def test_what_fails_is_kept_shown_and_tried_as_often_as_asked(campaign: Campaign) -> None:
    script = "[ ! -e works ] || { echo oh no >&2; exit 3; }; touch works"
    campaign.write(script, ["a"], repetitions=3, execute="retries = 2")
    done = campaign.run()
    assert done.returncode == 1
    assert campaign.log() == {"begin": 7, "end": 1}
    assert re.search(r"^script +a +6 +failed: exit status 3: oh no", done.stdout, re.MULTILINE)
    runs = campaign.runs().query("status != 'ok'")
    assert list(runs["status"]) == ["failed"] * 2
    assert list(runs["exit_code"]) == [3, 3]
    assert list(runs["attempt"]) == [3, 3]
    assert list(runs["error"]) == ["exit status 3: oh no"] * 2
    assert runs["runtime_ns"].isna().all()
    assert sorted(campaign.runs(failures=True)["attempt"]) == [1, 1, 1, 2, 2, 3, 3]
    campaign.run()
    assert campaign.log() == {"begin": 7, "end": 1}, "counted on disk: never for ever"
    campaign.file.write_text(campaign.file.read_text().replace("retries = 2", "retries = 3"))
    campaign.run()
    assert campaign.log() == {"begin": 9, "end": 1}


def test_a_program_that_fails_without_latency_is_not_run_with_it(campaign: Campaign) -> None:
    """A status above 128 that a program gives itself is no signal's."""
    script = "[ -e built ] || { echo no such file >&2; exit 132; }"
    campaign.write(script, ["a", "b"], repetitions=4)
    done = campaign.run()
    assert done.returncode == 1
    assert campaign.log() == {"begin": 2}, "once, and again"
    assert "fails without latency (exit status 132: no such file): its 7 other runs were not" in (
        " ".join(done.stdout.split())
    )
    (campaign.folder / "built").touch()
    more = campaign.file.read_text().replace("[execute]", "[execute]\nretries = 2")
    campaign.file.write_text(more)
    assert campaign.run().returncode == 0
    assert campaign.log() == {"begin": 10, "end": 8}


def test_a_launcher_that_cannot_start_the_ranks_is_refused_at_once(campaign: Campaign) -> None:
    launcher = campaign.folder / "mpirun"
    launcher.write_text(
        "#!/bin/sh\n"
        "[ $1 != --version ] || exec echo 'mpirun (Open MPI) 4.1.4'\n"
        "echo There are not enough slots available >&2; exit 1\n"
    )
    launcher.chmod(0o755)
    campaign.write("true", ["a"])
    line = "launch = ['mpirun', '--allow-run-as-root', '-n', '9999', './app']"
    campaign.file.write_text(re.sub("launch = .*", line, campaign.file.read_text()))
    path = f"{campaign.folder}:{os.environ['PATH']}"
    done = Campaign(campaign.folder, {**campaign.environment, "PATH": path}).run()
    assert done.returncode == 2
    assert "has fewer slots here than the 9,999 ranks; add --oversubscribe: mpirun" in done.stderr
    assert not (campaign.directory / "runs").exists()


def test_a_program_that_a_signal_ends_is_told_so(campaign: Campaign) -> None:
    campaign.write("kill -SEGV $$", ["a"], repetitions=1)
    campaign.run()
    assert campaign.runs()["error"][0] == "ended by SIGSEGV"


def test_a_failure_that_passes_is_forgiven(campaign: Campaign) -> None:
    campaign.write("test -e once || { touch once; exit 1; }", ["a"], repetitions=2)
    done = campaign.run()
    assert done.returncode == 0, done.stdout
    assert sorted(campaign.runs()["attempt"]) == [1, 2]
    assert re.search(r" 1 +failed: exit status 1", done.stdout)


def test_what_takes_too_long_is_ended_with_all_it_started(campaign: Campaign) -> None:
    script = 'sh -c "trap : TERM; sleep 99 & echo \\$! >> pids; while :; do wait; done"'
    campaign.write(script, ["a"], repetitions=1, execute="retries = 0", program='timeout = "300ms"')
    done = campaign.run()
    assert done.returncode == 1
    runs = campaign.runs()
    assert runs["status"][0] == "timeout"
    assert runs["error"][0] == "still ran after 0.3 s"
    assert runs["wall_ns"][0] >= 0.3e9
    pid = int((campaign.folder / "pids").read_text())
    until(lambda: not Path(f"/proc/{pid}/cmdline").exists() or _zombie(pid), "its end")


def _zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


def test_output_without_a_runtime_is_a_failure(campaign: Campaign) -> None:
    campaign.write("true", ["a"], repetitions=1, execute="retries = 0")
    campaign.file.write_text(campaign.file.read_text().replace("took (", "taken ("))
    campaign.run()
    assert campaign.runs()["error"][0].startswith("its output has no number that 'taken (")


def test_nothing_is_lost_or_doubled_when_the_runner_is_killed(campaign: Campaign) -> None:
    campaign.write(waits(3), ["a", "b"], repetitions=4)
    with campaign.started() as process:
        until(lambda: campaign.log()["begin"] == 3, "the third run")
        process.kill()
        process.communicate()
    go_on(campaign)
    # The kernel ended the program of the killed runner: it began, and did not end.
    assert campaign.log()["end"] == 2
    assert campaign.recorded() == 2
    assert len(campaign.claims()) == 1
    done = campaign.run()
    assert done.returncode == 0, done.stderr
    runs = campaign.runs()
    assert set(runs["run_id"]) == campaign.planned()
    assert len(runs) == 8
    assert campaign.log() == {"begin": 9, "end": 8}
    assert (runs["attempt"] == 1).all(), "a lost runner is no failure of the program"
    lost = [
        read_run(campaign.directory / "runs" / f"{each}.parquet")[1]["lost_attempts"]
        for each in runs["run_id"]
    ]
    assert sorted(lost) == [0] * 7 + [1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_runner_ends_its_program_and_goes_on_later(
    campaign: Campaign, number: signal.Signals
) -> None:
    campaign.write(waits(2), ["a"], repetitions=4)
    with campaign.started() as process:
        until(lambda: campaign.log()["begin"] == 2, "the second run")
        os.killpg(process.pid, number)
        _, said = process.communicate(timeout=HANG_S)
    go_on(campaign)
    assert process.returncode == 130
    assert "interrupted; 1 of 4 runs are done" in said
    assert campaign.log() == {"begin": 2, "end": 1}
    assert not list((campaign.directory / "scratch").iterdir())
    assert campaign.run().returncode == 0
    assert campaign.log() == {"begin": 5, "end": 4}
    assert len(campaign.runs()) == 4


def test_two_runners_share_the_work(campaign: Campaign) -> None:
    campaign.write(f"{waits()}; sleep 0.1", ["a", "b", "c"], repetitions=5)
    with campaign.started() as one, campaign.started() as other:
        runners = [one, other]
        until(lambda: campaign.log()["begin"] == 2, "a run of each")
        go_on(campaign)
        said = [runner.communicate(timeout=HANG_S) for runner in runners]
    assert [runner.returncode for runner in runners] == [0, 0], said
    assert campaign.log() == {"begin": 15, "end": 15}
    assert len(campaign.runs()) == 15
    made = [sum(" script " in line for line in err.splitlines()) for _, err in said]
    assert sum(made) == 15
    assert min(made) >= 3, made


def test_a_runner_takes_over_from_one_that_dies(campaign: Campaign) -> None:
    campaign.write(waits(), ["a"], repetitions=2)
    with campaign.started() as dying:
        until(lambda: campaign.log()["begin"] == 1, "a first run")
        with campaign.started() as heir:
            until(lambda: campaign.log()["begin"] == 2, "a second run, beside the first")
            dying.kill()
            dying.communicate()
            go_on(campaign)
            heir.communicate(timeout=HANG_S)
    assert heir.returncode == 0
    assert campaign.log() == {"begin": 3, "end": 2}
    assert len(campaign.runs()) == 2


def test_a_run_that_kills_its_runner_is_given_up(campaign: Campaign) -> None:
    campaign.write("kill -9 $PPID; sleep 9", ["a"], repetitions=1, execute="retries = 0")
    statuses = [campaign.run().returncode for _ in range(5)]
    assert statuses[:3] == [-signal.SIGKILL] * 3
    assert statuses[3:] == [1, 1]
    assert campaign.log()["begin"] == 3
    assert "vanished 3 times" in campaign.runs()["error"][0]


def rewritten(claim: Path, **changes: object) -> None:
    claim.write_text(json.dumps({**json.loads(claim.read_text()), **changes}))


def test_a_claim_is_held_by_one_and_lost_with_its_process(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    held = claims.take("r", 1)
    assert held is not None
    assert claims.take("r", 1) is None
    held.release()
    again = claims.take("r", 1)
    assert again is not None
    assert again.lost == 0
    rewritten(again.path, pid=2**22 + 1)
    heir = claims.take("r", 1)
    assert heir is not None
    assert heir.lost == 1


def test_a_claim_of_another_machine_is_lost_when_it_is_silent(tmp_path: Path) -> None:
    claims = Claims(tmp_path)
    held = claims.take("r", 1)
    assert held is not None
    rewritten(held.path, boot="another")
    assert claims.take("r", 1) is None
    os.utime(held.path, (0, 0))
    assert claims.take("r", 1) is not None


def test_a_file_that_grows_adds_and_one_that_changes_is_refused(campaign: Campaign) -> None:
    campaign.write("true", ["a"], repetitions=2)
    campaign.run()
    before = set(campaign.runs()["run_id"])
    campaign.write("true", ["a", "b"], repetitions=3)
    assert campaign.run().returncode == 0
    assert campaign.log()["end"] == 6
    assert before < set(campaign.runs()["run_id"])
    campaign.write("echo other >> log", ["a", "b"], repetitions=3)
    refused = campaign.run()
    assert refused.returncode == 2
    assert "6 runs of " in refused.stderr
    assert "program 'script': launch was 'sh -c echo begin >> log; true;" in refused.stderr
    assert "--changed" in refused.stderr
    assert campaign.log()["end"] == 6
    assert campaign.run("--changed").returncode == 0
    assert campaign.log()["other"] == 6
    assert len(campaign.runs()) == 6
    assert not before & set(campaign.runs()["run_id"])
    assert len(list((campaign.directory / "former").iterdir())) == 6


def test_the_environment_and_the_words_reach_the_program(campaign: Campaign) -> None:
    program = 'environment = { COLOUR = "deep blue", EIGHT = 8 }'
    campaign.write('echo "$COLOUR-$EIGHT" > seen', ["a"], repetitions=1, program=program)
    assert campaign.run().returncode == 0
    assert (campaign.folder / "seen").read_text() == "deep blue-8\n"


def test_a_dry_run_shows_the_plan_and_makes_nothing(campaign: Campaign) -> None:
    campaign.write("true", ["a", "b"], repetitions=3)
    done = campaign.run("--dry-run")
    assert done.returncode == 0
    assert "1 program × 2 levels × 3 repetitions = 6 runs" in done.stdout
    assert not campaign.directory.exists()


def test_the_outcome_as_json(campaign: Campaign, latitude: Callable[..., object]) -> None:

    campaign.write("true", ["a"], repetitions=2)
    done = latitude("campaign", "run", campaign.file, "--json", "-", cwd=campaign.folder)
    assert isinstance(done, subprocess.CompletedProcess)
    found = document(done.stdout)
    assert (found["planned"], found["ok"], found["pending"]) == (2, 2, 0)
    assert found["parts"][0]["median_ns"] == 1.5e9
