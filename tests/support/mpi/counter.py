"""A second PMPI library, made from mpi.h itself: counts every MPI call of a program.

It shares nothing with runtime/tracer, and stands before it in LD_PRELOAD, so that both see one
run. Counts are written as JSON, one file a process, when it ends or aborts.
"""

import re
import subprocess
from pathlib import Path

from support.compiling import built, written

_HEAD = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define NEXT(name) (next_##name ? next_##name : (next_##name = dlsym(RTLD_NEXT, #name)))
static _Thread_local int counter_depth;
static void save(void);
"""

_CALL = """
static long counter_{name};
static void* next_{prefix}{name};
int {prefix}{name}({parameters}) {{
  int (*counter_next)({types}) = NEXT({prefix}{name});
  if (!counter_depth) __atomic_add_fetch(&counter_{name}, 1, __ATOMIC_RELAXED);
  {before}
  ++counter_depth;
  const int counter_result = counter_next({arguments});
  --counter_depth;
  return counter_result;
}}
"""

_TAIL = """
static void save(void) {{
  const char* directory = getenv("COUNTER_DIR");
  if (!directory) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%ld.json", directory, (long)getpid());
  FILE* out = fopen(path, "w");
  const char* comma = "";
  fputc('{{', out);
{lines}
  fputc('}}', out);
  fclose(out);
}}
__attribute__((destructor)) static void at_end(void) {{ save(); }}
"""

_LINE = (
    "  if (counter_MPI_{0}) "
    '{{ fprintf(out, "%s\\"MPI_{0}\\": %ld", comma, counter_MPI_{0}); comma = ", "; }}'
)


def prototypes(mpicc: str, environment: dict[str, str]) -> dict[str, str]:
    """Name without MPI_ → parameters, of all functions in mpi.h that return an error code."""
    source = "#include <mpi.h>\n"
    text = subprocess.run(
        [mpicc, "-E", "-P", "-x", "c", "-"],
        input=source,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    text = " ".join(text.split())
    found = re.findall(
        r"\bint MPI_([A-Z]\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*(?:__attribute|;)", text
    )
    return {name: parameters for name, parameters in found if "..." not in parameters}


def _source(mpicc: str, environment: dict[str, str]) -> str:
    parts, names = [_HEAD], []
    for name, parameters in prototypes(mpicc, environment).items():
        if name.startswith(("T_", "DUP_FN", "NULL_", "TYPE_", "COMM_", "WIN_", "CONVERSION")):
            continue
        items = [] if parameters.strip() in {"void", ""} else parameters.split(",")
        arguments = []
        for item in items:
            match = re.search(r"(\w+)\s*((?:\[\d*\]\s*)*)$", item.strip())
            assert match, (name, item)
            arguments.append(match[1])
        body = {
            "parameters": parameters,
            "types": parameters,
            "arguments": ", ".join(arguments),
            "before": "save();" if name == "Abort" else "",
        }
        once = _CALL.format(name=f"MPI_{name}", prefix="", **body)
        again = _CALL.format(name=f"MPI_{name}", prefix="P", **body)
        again = again.replace(f"static long counter_MPI_{name};", "")
        parts += [once, again]
        names.append(name)
    parts.append(_TAIL.format(lines="\n".join(_LINE.format(name) for name in names)))
    return "".join(parts)


def built_for(name: str, mpicc: str, environment: dict[str, str]) -> Path:
    """The library for an MPI of this name."""
    source = written(f"counter-{name}.c", _source(mpicc, environment))
    # Linked with MPI in earnest: Python loads MPI privately, where the next function is not found.
    flags = ["-O0", "-w", "-fPIC", "-shared", "-Wl,--no-as-needed"]
    return built(f"counter-{name}.so", *flags, source, compiler=mpicc, environment=environment)
