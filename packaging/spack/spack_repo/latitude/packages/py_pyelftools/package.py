# Spack's own ends at 0.29.
from spack_repo.builtin.packages.py_pyelftools.package import PyPyelftools as BuiltinPyelftools

from spack.package import *


class PyPyelftools(BuiltinPyelftools):
    __doc__ = BuiltinPyelftools.__doc__

    version("0.33", sha256="660d82dcbeb8e83d1702bd97f223f761625da06111c0cc988eac6b8ab0c1b61f")

    depends_on("python@3.10:", type=("build", "run"), when="@0.33:")
