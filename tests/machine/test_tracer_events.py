"""The tracer's events for point-to-point calls and completions, under both MPIs."""

from pathlib import Path

import pytest

from support.mpi.lat_format import Event, Rank
from support.mpi.library import PROGRAMS
from support.mpi.traced import Mpi, Traced

ANY, NULL = -1, -2
AS_ASKED = "as asked"


def said(event: Event) -> tuple[object, ...]:
    """The call and its values without the communicator, which is the world in these programs."""
    values = [value for letter, value in event.fields if letter != "c"]
    assert all(value == 0 for letter, value in event.fields if letter == "c")
    return (event.call.removeprefix("MPI_"), *values)


@pytest.fixture(scope="module")
def messages(tracer: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    traced = tracer.trace(tmp_path_factory.mktemp("messages"), 2, "messages.c")
    assert traced.done.returncode == 0, traced.done.stderr
    return traced


@pytest.fixture(scope="module")
def completions(tracer: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Traced:
    traced = tracer.trace(tmp_path_factory.mktemp("completions"), 2, "completions.c")
    assert traced.done.returncode == 0, traced.done.stderr
    return traced


def test_a_sender_is_recorded_call_by_call(messages: Traced) -> None:
    assert [said(event) for event in messages.ranks[0].mpi] == [
        ("Init",),
        ("Send", 1, 1, 12),
        ("Ssend", 1, 2, 16),
        ("Bsend", 1, 3, 20),
        ("Recv", 1, 0, 0, AS_ASKED),
        ("Rsend", 1, 4, 24),
        ("Send", 1, 5, 80),  # a vector: its data, not its extent
        ("Send", 1, 6, 0),
        ("Send", NULL, 7, 28),
        ("Send", 1, 8, 32),
        ("Send", 1, 9, 36),
        ("Send", 1, 10, 40),
        ("Isend", 1, 11, 44, 1),
        ("Wait", [(1, AS_ASKED)]),
        ("Sendrecv", 1, 12, 48, ANY, 13, 200, (1, 13, 48)),
        ("Sendrecv_replace", 1, 14, 52, ANY, 14, 52, (1, 14, 52)),
        ("Finalize",),
    ]


def test_a_receiver_knows_what_came_even_where_the_program_ignores_the_status(
    messages: Traced,
) -> None:
    assert [said(event) for event in messages.ranks[1].mpi] == [
        ("Init",),
        ("Recv", 0, 1, 12, AS_ASKED),
        ("Recv", 0, 2, 400, (0, 2, 16)),
        ("Recv", ANY, ANY, 20, (0, 3, 20)),
        ("Irecv", 0, 4, 24, 1),
        ("Send", 0, 0, 0),
        ("Wait", [(1, AS_ASKED)]),
        ("Recv", 0, 5, 80, AS_ASKED),
        ("Recv", 0, 6, 0, AS_ASKED),
        ("Recv", NULL, 7, 28, AS_ASKED),
        ("Probe", ANY, ANY, (0, 8, 32)),
        ("Recv", 0, 8, 32, AS_ASKED),
        ("Mprobe", 0, ANY, 36, (0, 9, 36)),
        ("Improbe", ANY, 10, 40, (0, 10, 40)),
        ("Wait", []),  # the Imrecv: its message was received by the Improbe
        ("Recv", 0, 11, 44, AS_ASKED),
        ("Sendrecv", 0, 13, 48, ANY, 12, 200, (0, 12, 48)),
        ("Sendrecv_replace", 0, 14, 52, ANY, 14, 52, (0, 14, 52)),
        ("Finalize",),
    ]


def test_polling_is_counted_and_leaves_no_event(messages: Traced) -> None:
    receiver = messages.ranks[1]
    assert receiver.named("Iprobe") == []
    assert receiver.counts["MPI_Iprobe"] >= 1
    assert len(receiver.named("Improbe")) == 1


def test_calls_do_not_overlap_and_time_starts_in_init(messages: Traced) -> None:
    for rank in messages.ranks:
        assert rank.events[0].call == "MPI_Init"
        for before, event in zip(rank.events, rank.events[1:], strict=False):
            assert before.enter <= before.leave <= event.enter
        assert all(event.thread == 0 for event in rank.events)


def test_every_call_site_of_the_program_is_one_address_in_it(messages: Traced) -> None:
    for rank in messages.ranks:
        modules = {
            address: path
            for address in rank.sites
            for first, end, _, path, _ in rank.modules
            if first <= address < end
        }
        assert set(modules) == set(rank.sites)
        assert all(event.site for event in rank.mpi)


def _completed(rank: Rank) -> list[int]:
    return [number for e in rank.events for done in e.all("Q") for number, _ in done]


def test_a_request_is_completed_once_for_each_time_it_was_posted(completions: Traced) -> None:
    for rank in completions.ranks:
        posted = [e["q"] for e in rank.events if e.call in {"MPI_Isend", "MPI_Irecv"}]
        assert len(posted) == len(set(posted))
        freed = rank.named("Request_free")[-1]["R"]
        persistent = [e["q"] for e in rank.named("Recv_init", "Send_init")]
        started = [number for e in rank.named("Start", "Startall") for number in e["R"]]
        assert sorted(started) == sorted(persistent * 4)
        assert sorted(_completed(rank) + freed) == sorted(posted + started)


def test_waitall_of_many_small_sends_tells_requests_with_one_handle_apart(
    completions: Traced,
) -> None:
    for me, rank in enumerate(completions.ranks):
        first = rank.named("Waitall")[0]
        received = [(number, (1 - me, number - 1, 16)) for number in range(1, 51)]
        assert first["Q"] == received + [(number, AS_ASKED) for number in range(51, 101)]
        assert rank.named("Waitall")[1]["Q"] == []  # all REQUEST_NULL


def test_waitany_and_waitsome_say_which_came_first(completions: Traced) -> None:
    for me, rank in enumerate(completions.ranks):
        done = [e["Q"] for e in rank.named("Waitany")]
        assert [len(list_) for list_ in done] == [1, 1, 1, 1, 0]
        sizes = {e["q"]: 16 + 4 * e["t"] for e in rank.named("Irecv")[50:54]}
        for [(number, status)] in done[:4]:
            assert status == (1 - me, sizes[number] // 4 - 4, sizes[number])
        some = [e["Q"] for e in rank.named("Waitsome")]
        assert sum(map(len, some)) == 4
        assert some[-1] == []


def test_a_test_is_an_event_only_when_it_completed_something(completions: Traced) -> None:
    for rank in completions.ranks:
        events = rank.named("Test", "Testany", "Testsome", "Testall")
        assert all(e["Q"] for e in events)
        assert sum(len(e["Q"]) for e in events) == 4
        calls = sum(rank.counts[f"MPI_{x}"] for x in ("Test", "Testany", "Testsome", "Testall"))
        assert calls > len(events)


def test_persistent_requests_keep_their_number_and_rest_in_between(completions: Traced) -> None:
    for me, rank in enumerate(completions.ranks):
        receive, send = rank.named("Recv_init")[0], rank.named("Send_init")[0]
        assert said(receive)[1:4] == (ANY, 5, 64)
        assert said(send)[1:4] == (1 - me, 5, 16)
        both = [(receive["q"], (1 - me, 5, 16)), (send["q"], AS_ASKED)]
        assert [e["Q"] for e in rank.named("Waitall")[2:8]] == [both, []] * 3
        assert rank.named("Startall")[0]["R"] == [receive["q"], send["q"]]
        assert [e["R"] for e in rank.named("Request_free")[:2]] == [[receive["q"]], [send["q"]]]


def test_a_cancelled_receive_says_so(completions: Traced) -> None:
    for rank in completions.ranks:
        assert rank.named("Wait")[-1]["Q"][0][1] == "cancelled"
        assert rank.counts["MPI_Cancel"] == 1


def test_polls_that_fail_are_counted_in_their_gaps(tracer: Mpi, tmp_path: Path) -> None:
    traced = tracer.trace(tmp_path, 2, str(PROGRAMS / "polls.c"), "30", "200", "100")
    assert traced.done.returncode == 0, traced.done.stderr
    for rank in traced.ranks:
        failed = [event["n"] // 2 for event in rank.events if event.call == "latitude_polls"]
        found = rank.named("Test")
        assert len(found) == 30
        assert sum(failed) + len(found) == rank.counts["MPI_Test"]
        assert (rank.poll_ns is not None) == (sum(failed) > 0)
        assert len(rank.usage) == 2
