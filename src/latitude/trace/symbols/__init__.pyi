from .location import Frame, Location, Module
from .symbolise import symbolise

__all__ = ["Frame", "Location", "Module", "symbolise"]
