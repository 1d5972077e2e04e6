# Latitude is published nowhere yet: Spack takes its source from a directory (docs/reference/install.md).
from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class PyLatitude(PythonPackage):
    """How much network latency, and how much latency variation, an MPI program tolerates."""

    homepage = "https://arxiv.org/abs/2404.14193"

    license("BSD-3-Clause")

    version("0.1.0")

    variant("full", default=True, description="Fits, statistics, linear programs, campaigns")
    variant("otf2", default=False, description="Reads OTF2 archives")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("py-scikit-build-core@0.10:", type="build")
    depends_on("py-nanobind@2.2:", type="build")
    depends_on("py-typing-extensions@4:", type="build", when="^python@:3.10")

    depends_on("python@3.10:", type=("build", "link", "run"))
    depends_on("py-jinja2@3.1:", type="run")
    depends_on("py-lazy-loader@0.4:", type="run")
    depends_on("py-msgspec@0.18:", type="run")
    depends_on("py-numpy@1.26:", type="run")
    depends_on("py-pyelftools@0.31:", type="run")
    depends_on("py-rich@13:", type="run")
    depends_on("py-tomli@2:", type="run", when="^python@:3.10")
    depends_on("py-zstandard@0.22:", type="run")

    with when("+full"):
        depends_on("py-clustershell@1.9:", type="run")
        depends_on("py-highspy@1.7:", type="run")
        depends_on("py-pandas@2.1:", type="run")
        depends_on("py-pyarrow@14:", type="run")
        depends_on("py-scipy@1.11:", type="run")
        depends_on("py-shtab@1.6:", type="run")

    depends_on("otf2", when="+otf2")
