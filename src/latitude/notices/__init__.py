"""Warnings about a valid result."""
