from .reading import iter_samples as iter_samples, read_samples as read_samples
from .store import SampleStore as SampleStore
