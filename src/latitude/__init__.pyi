from ._core import InputError as InputError
from ._version import __version__ as __version__
from .analysis.analyze import analyze as analyze
from .analysis.compare import compare as compare
from .analysis.diff import diff as diff
from .analysis.map.find import Axis as Axis, map as map  # noqa: A004
from .analysis.sizes import scaling as scaling
from .model.places import PlaceSizes as PlaceSizes
from .model.rules import Rule as Rule
from .model.network import Network as Network
from .model.placement import Placement as Placement
from .model.topology import Topology as Topology
from .notices.notice import Notice as Notice
from .results.analysis import Analysis as Analysis
from .results.comparison import Comparison as Comparison
from .results.difference import Difference as Difference
from .results.map import Mapped as Mapped, ProgramMap as ProgramMap
from .trace.load import load as load, read as read
from .trace.program import Program as Program
from .trace.recording import Recording as Recording
