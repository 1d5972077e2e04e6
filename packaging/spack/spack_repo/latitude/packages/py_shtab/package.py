# Spack's own ends at 1.3.
from spack_repo.builtin.packages.py_shtab.package import PyShtab as BuiltinShtab

from spack.package import *


class PyShtab(BuiltinShtab):
    __doc__ = BuiltinShtab.__doc__

    license("MPL-2.0", when="@1.8:")

    version("1.13.0", sha256="0a5be9d7ab2b4549e9a38252abcd5ecf5ec6813ecd80c6b06fa851bff55a5085")

    depends_on("python@3.9:", type=("build", "run"), when="@1.8:")
