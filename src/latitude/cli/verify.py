"""`latitude verify`: a result of analyze proved anew, without the engine."""

import argparse
import contextlib
import io
import shlex
from pathlib import Path

from latitude._core import InputError
from latitude.analysis.answer import question
from latitude.analysis.verify.claims import NOT_VERIFIED, Verifier
from latitude.analysis.verify.held import AskedAnalysis
from latitude.analysis.verify.stated import Stated, read_stated
from latitude.cli import options, progress
from latitude.cli.outputs import Outputs, add_results
from latitude.cli.parser import build_parser
from latitude.files.provenance import Provenance, of_this_run
from latitude.render.documents.verification import verification_document
from latitude.results.verification import Verification
from latitude.trace.examples import DEMO, example

_REJECTED = 1
_COMMANDS = ("analyze", "demo")
"""Those whose options say all that a result was made of."""


class VerifyCommand:
    """What an analysis.json states, held against proofs in exact numbers."""

    description = """\
Proves a result of `latitude analyze` anew: reads its input again, and derives T, the slopes on both
sides, every critical latency, the tolerances and the efficiencies in exact rational numbers from
the model's inequalities, without the engine. Each is proved by a path (T is no less) and by start
times that satisfy every inequality (T is no more). Exit status: 0 when all claims hold, 1 when one
does not, 2 when the result, or its input, cannot be read."""
    example = "latitude verify result"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "result", metavar="RESULT", type=Path, help="analysis.json, or the directory with it"
        )
        parser.add_argument(
            "--input",
            metavar="PATH",
            type=Path,
            help="where the trace or GOAL file is now (default: where it was)",
        )
        group = add_results(parser)
        group.add_argument(
            "--certificate",
            metavar="FILE",
            type=Path,
            help="write what proves T: FILE.mps or FILE.lp, the linear program, and beside it "
            "FILE.sol, the start times and the critical path as its solution, as HiGHS reads them",
        )

    def run(self, arguments: argparse.Namespace) -> None:
        certificate: Path | None = arguments.certificate
        outputs = Outputs.of(arguments, others=[] if certificate is None else _files(certificate))
        stated = read_stated(arguments.result)
        made = _made_by(arguments.result, stated, arguments.input)
        network = options.network_of(made, made.input)
        with progress.shown() as display:
            program = options.loaded(made.input, made, network, display)
            _same_input(made.input, stated, program.digest.hex())
            network = network.placed_as(program.path)
            theta, interval = question(
                network, network.links(program.ranks), made.latency, made.sweep
            )
            asked = AskedAnalysis(theta, interval, made.tolerance, made.limit)
            display.stage("Writing the model's inequalities")
            verifier = Verifier(stated, program, network, asked)
            ledger = verifier.run(display)
            proof = None
            if certificate is not None:
                display.stage(f"Writing {certificate}")
                proof = verifier.certificate(certificate, force=arguments.force)
        claims = ledger.claims()
        found = Verification(
            provenance=Provenance(
                **of_this_run(),
                input=str(made.input),
                input_sha256=stated.provenance.input_sha256,
                program=stated.provenance.program,
            ),
            result=str(arguments.result),
            command=stated.provenance.command,
            theta=theta.name,
            inequalities=verifier.held.graph.rows.head.size,
            proofs=verifier.held.graph.proofs,
            corners=verifier.corners,
            claims=claims,
            rejections=ledger.rejections(),
            rejected=sum(claim.rejected for claim in claims),
            not_verified=list(NOT_VERIFIED),
            certificate=proof,
            warnings=[],
        )
        outputs.give(verification_document(found))
        if not found.holds:
            raise SystemExit(_REJECTED)


def _files(certificate: Path) -> list[Path]:
    """The linear program and its solution. InputError: no format has such a name."""
    from latitude.analysis.verify.certificate import (  # noqa: PLC0415 - needs HiGHS, an extra
        solution_beside,
    )

    return [certificate, solution_beside(certificate)]


def _made_by(path: Path, stated: Stated, moved: Path | None) -> argparse.Namespace:
    """The options of the command that made a result. InputError where it is none that tells all."""
    command = stated.provenance.command
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"{path}: its command is no line of a shell: {error}") from error
    program, name = (*words, "", "")[:2]
    if Path(program).name != "latitude" or name not in _COMMANDS:
        raise InputError(
            f"{path}: was made by `{command}`; verify knows the options of latitude "
            f"{' and latitude '.join(_COMMANDS)}: analyse the input with one of them"
        )
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            made, unknown = build_parser(name).parse_known_args(words[1:])
            made.parser.refuse_unknown(unknown)
    except InputError as error:
        raise InputError(f"{path}: was made by a command of other options: {error}") from error
    except SystemExit as error:  # --help and --version
        raise InputError(f"{path}: was made by `{command}`, which analyses nothing") from error
    if vars(made).get("compare"):  # demo has none
        raise InputError(f"{path}: was made by `{command}`, which writes a comparison")
    if made.replay:
        raise InputError(
            f"{path}: was made with --replay, which lets the engine say how long computation took; "
            "verify results without it"
        )
    made.input = moved or (example(DEMO) if name == "demo" else made.input)
    if not made.input.exists():
        raise InputError(f"{made.input}: its input is not here; say where it is with --input PATH")
    return made


def _same_input(path: Path, stated: Stated, digest: str) -> None:
    if digest != stated.provenance.input_sha256:
        raise InputError(
            f"{path}: not the input of this result: its SHA-256 is {digest[:12]}…, and that of the "
            f"result's input {stated.provenance.input_sha256[:12]!s}…"
        )
