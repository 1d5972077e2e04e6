"""Campaign files: what they say, and how they are refused, with file, line and key."""

from pathlib import Path

import numpy as np
import pytest

from latitude._core import InputError
from latitude.distributions.specification import parse_table
from latitude.distributions.table import write_table
from latitude.lab.campaign.plan import Plan, plan
from latitude.lab.campaign.read import read_campaign

HEAD = '[campaign]\nrepetitions = 3\n[[programs]]\nname = "a"\nlaunch = "true x"\n'


def planned(tmp_path: Path, text: str) -> Plan:
    path = tmp_path / "c.toml"
    path.write_text(text)
    return plan(read_campaign(path))


def levels(tmp_path: Path, text: str) -> dict[str, tuple[str, float, float]]:
    found = planned(tmp_path, f"{HEAD}[[levels]]\n{text}\n").campaign.levels
    return {level.name: (level.kind, level.mean_ns, level.sd_ns) for level in found}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[campaing]\nname='x'", "c.toml:1: [campaing]: no such table; did you mean campaign?"),
        ("[campaign]\n\nrepetition = 3", "c.toml:3: [campaign] repetition: no such key; did you"),
        ("[campaign]\nrepetitions = 0", "c.toml:2: [campaign] repetitions: must be a whole"),
        (
            HEAD.replace("repetitions = 3", "repetitions = 1_000_000_000_000")
            + "[[levels]]\nlatency = 'none'\n",
            "repetitions make 1,000,000,000,000 runs; a campaign has at most 100,000",
        ),
        ("[campaign]\nseed = " + "7" * 5_001, "c.toml: not a TOML file"),
        ("[campaign]\nseed = " + "[" * 100_000, "c.toml: not a TOML file"),
        ("[campaign]\nseed = 0x1" + "0" * 16, "c.toml: campaign.seed: an integer has 64 bits"),
        (
            f"{HEAD}[[levels]]\nlatency = '1us'\n[execute]\nhow = 'dask'\npartition = 'x'\n",
            "c.toml:10: [execute] partition: has no meaning with how = 'dask'; it needs how",
        ),
        ("[campaign]\nseed = true", "c.toml:2: [campaign] seed: must be a whole number"),
        ("[campaign]\nname='x'", "c.toml: no [[programs]]; give one or more"),
        (HEAD, "c.toml: no [[levels]]; give one or more"),
        (f"{HEAD}timout = '1s'\n", "c.toml:6: [[programs]] timout: no such key; did you mean tim"),
        (f"{HEAD}timeout = '3'\n", "c.toml:6: [[programs]] timeout: timeout: '3' has no unit"),
        (f"{HEAD}runtime = 'mpy'\n", "c.toml:6: [[programs]] runtime: 'mpy' is neither mpi nor"),
        (f"{HEAD}runtime = '(x'\n", "c.toml:6: [[programs]] runtime: no regular expression"),
        (f"{HEAD}runtime = '(x)'\n", "[[programs]] runtime: say of what the number is with unit"),
        (f"{HEAD}unit = 's'\n", "[[programs]] unit: runtime = 'mpi' has its own"),
        (f"{HEAD}folder = 'none'\n", "[[programs]] folder: "),
        (HEAD.replace("true x", "./none"), "c.toml:5: [[programs]] launch: './none' is not found"),
        (HEAD.replace('"true x"', "'a \"b'"), "launch: cannot be parted into words"),
        (f"{HEAD}[[levels]]\nname = 'x'\n", "c.toml:6: [[levels]]: give one of latency, sweep"),
        (f"{HEAD}[[levels]]\nlatency = '1us'\nload='3%'\n", "give one of latency, sweep, family"),
        (f"{HEAD}[[levels]]\nlatency = '1'\n", "c.toml:7: [[levels]] latency: latency: '1' has no"),
        (f"{HEAD}[[levels]]\nlatency = 'x.dist'\n", "x.dist: no such file"),
        (f"{HEAD}[[levels]]\nlatency = 'lognomal(mean=1us)'\n", "c.toml:7: [[levels]] latency: "),
        (f"{HEAD}[[levels]]\nsweep = '1us:2us'\n", "'1us:2us' is not FIRST:LAST:STEP"),
        (f"{HEAD}[[levels]]\nsweep = ['1us', '1us']\n", "c.toml:7: [[levels]] sweep: give diff"),
        (f"{HEAD}[[levels]]\nfamily = 'constant(3us)'\n", "does not vary"),
        (f"{HEAD}[[levels]]\nload = '20%'\n", "c.toml:6: [[levels]]: generator is missing"),
        (f"{HEAD}[[levels]]\nlatency = '2us'\ngenerator = 'true'\n", "generator: needs load"),
        (
            f"{HEAD}[[levels]]\nlatency = 'none'\nlayer = 'flow'\n",
            "layer: nothing is injected here",
        ),
        (f"{HEAD}[[levels]]\nlatency = '1us'\nlayer = 'flo'\n", "'flo' is none of flow, verbs"),
        (
            f"{HEAD}[[levels]]\nlatency = '1us'\nlayer = 'verbs'\nintra_node = true\n",
            "c.toml:9: [[levels]] intra_node: shared memory has no verbs",
        ),
        (f"{HEAD}[[levels]]\nlatency = '1us'\n" * 2, "c.toml: not a TOML file"),
        (
            f"{HEAD}[[levels]]\nlatency = '1us'\n[[levels]]\nlatency = '1us'\n",
            "c.toml:8: [[levels]]: two levels are called '1us'; tell them apart with name",
        ),
        (
            f"{HEAD}[[levels]]\nlatency = '1us'\n[execute]\npartition = 'x'\n",
            "c.toml:9: [execute] partition: has no meaning with how = 'local'; it needs how",
        ),
        (
            f"{HEAD}[[levels]]\nlatency = '1us'\n[execute]\nhow = 'slrm'\n",
            "c.toml:9: [execute] how: 'slrm' is none of local, slurm, dask",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        planned(tmp_path, text)
    assert message in str(raised.value)


def test_a_refused_file_makes_nothing(refused, tmp_path: Path) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001
    (tmp_path / "c.toml").write_text("[campaign]\nrepetition = 3\n")
    assert "did you mean repetitions?" in refused("campaign", "run", "c.toml", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["c.toml"]


def test_levels_in_all_their_ways(tmp_path: Path) -> None:
    assert levels(tmp_path, "latency = 'none'") == {"none": ("none", 0, 0)}
    assert levels(tmp_path, "latency = '20us'") == {"20us": ("constant", 20_000, 0)}
    assert levels(tmp_path, "name = 'x'\nlatency = 'constant(3us)'") == {"x": ("constant", 3000, 0)}
    drawn = levels(tmp_path, "latency = 'lognormal(mean=50us,sd=20us)'")
    kind, mean, sd = drawn["lognormal(mean=50us,sd=20us)"]
    assert kind == "distribution"
    assert mean == pytest.approx(50_000, rel=1e-3)
    assert sd == pytest.approx(20_000, rel=1e-2)
    times = {"0ns": 0, "250us": 250_000, "500us": 500_000, "750us": 750_000, "1ms": 1_000_000}
    swept = levels(tmp_path, "sweep = '0us:1ms:250us'")
    assert swept == {name: ("sweep", ns, 0) for name, ns in times.items()}
    assert list(levels(tmp_path, "name = 'd'\nsweep = ['1us', '3ms']")) == ["d-1us", "d-3ms"]


def test_a_table_is_named_from_the_files_folder(tmp_path: Path) -> None:
    table = parse_table("uniform(loc=10us,scale=10us)")
    write_table(table, tmp_path / "u.dist")
    found = planned(tmp_path, f"{HEAD}[[levels]]\nlatency = 'u.dist'\n").campaign.levels[0]
    assert found.table is not None
    assert (found.table.values == table.values).all()


def test_loads_name_their_generator(tmp_path: Path) -> None:
    text = f"{HEAD}[[levels]]\nload = ['20%', '40%']\ngenerator = 'true -n 2'\n"
    found = planned(tmp_path, text).campaign.levels
    assert [(each.name, each.kind, each.load) for each in found] == [
        ("load-20%", "load", 0.2),
        ("load-40%", "load", 0.4),
    ]
    assert found[0].generator == ("true", "-n", "2")


def test_a_family_has_one_mean_and_rising_sd(tmp_path: Path) -> None:
    text = f"{HEAD}[[levels]]\nfamily = 'lognorm(s=1.0,loc=6us,scale=50us)'\n"
    found = planned(tmp_path, text).campaign.levels
    assert [level.name for level in found] == [
        "family-constant",
        *(f"family-lognormal-{share}" for share in (100, 75, 50, 25)),
    ]
    assert {level.family for level in found} == {"family"}
    assert np.ptp([level.mean_ns for level in found]) < 0.002 * found[0].mean_ns
    sds = [level.sd_ns for level in found]
    assert sds == sorted(sds)
    assert sds[0] == 0
    assert [level.kind for level in found] == ["constant", *["distribution"] * 4]


def test_the_plan_is_every_combination_once_in_shuffled_blocks(tmp_path: Path) -> None:
    text = f"{HEAD}[[programs]]\nname='b'\nlaunch='true y'\n[[levels]]\nsweep='0us:9us:1us'\n"
    found = planned(tmp_path, text)
    keys = [(run.repetition, run.program.name, run.level.name) for run in found.runs]
    assert len(set(keys)) == len(keys) == 2 * 10 * 3
    assert len({run.id for run in found.runs}) == len({run.seed for run in found.runs}) == 60
    assert [key[0] for key in keys] == [1] * 20 + [2] * 20 + [3] * 20
    blocks = [[key[1:] for key in keys[at : at + 20]] for at in (0, 20, 40)]
    assert all(block != sorted(block) for block in blocks)
    assert blocks[0] != blocks[1]
    assert [run.order for run in found.runs] == list(range(1, 61))


def test_ids_depend_on_what_decides_a_run_and_on_nothing_else(tmp_path: Path) -> None:
    text = f"{HEAD}[[levels]]\nsweep = ['1us', '2us']\n"
    before = planned(tmp_path, text)
    ids = [run.id for run in before.runs]
    timed = text.replace("launch", "timeout = '9s'\nlaunch")
    for same in (text, timed, f"{text}[execute]\nretries = 5\nhow = 'slurm'\npartition = 'p'\n"):
        assert [run.id for run in planned(tmp_path, same).runs] == ids
    for other in (
        text.replace("true x", "true y"),
        text.replace("launch", "environment = { X = 1 }\nlaunch"),
        text.replace("[campaign]", "[campaign]\nseed = 2"),
        f"{text}intra_node = true\n",
    ):
        assert not {run.id for run in planned(tmp_path, other).runs} & set(ids)
    # Added runs shuffle in; the order of the others stays.
    more = planned(tmp_path, f"{text}[[levels]]\nlatency = 'none'\n")
    assert [run.id for run in more.runs if run.level.name != "none"] == ids
    assert len(more.runs) == 9


def test_ids_depend_on_what_a_table_holds(tmp_path: Path) -> None:
    """The table's name stays, but a new content needs new runs."""

    def ids(words: str) -> list[str]:
        write_table(parse_table(words), tmp_path / "u.dist", force=True)
        text = f"{HEAD}[[levels]]\nlatency = 'u.dist'\n"
        return [run.id for run in planned(tmp_path, text).runs]

    first = ids("constant(5us)")
    assert set(first).isdisjoint(ids("constant(6us)"))
    assert ids("constant(5us)") == first


def test_the_example_is_a_campaign(tmp_path: Path, examples: Path) -> None:
    text = (examples / "campaigns" / "variation.toml").read_text().replace("mpirun", "true")
    found = planned(tmp_path, text).campaign
    assert [each.ranks for each in found.programs] == [8, 8, 8]
    assert len(found.levels) == 2 + 4 + 2 * 5
    assert found.directory == tmp_path / "variation"
