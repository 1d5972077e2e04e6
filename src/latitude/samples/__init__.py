"""Latency samples: reading them from many tools' files, keeping them, what is in them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
