from .location import Frame, Given, Location, Module
from .symbolise import symbolise

__all__ = ["Frame", "Given", "Location", "Module", "symbolise"]
