"""Campaigns in a directory of a test."""
