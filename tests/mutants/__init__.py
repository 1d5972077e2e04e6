"""Small seeded defects, and which tests notice them: `make mutants`.

The defects are data, in defects/*.toml. Each is applied to a copy of the tree, and the tests that
should notice it run there.
"""
