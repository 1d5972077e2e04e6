"""Which files of tests begin, so that no processor waits for one of them at the end."""

LONGEST = (
    *("test_verbs_guest", "test_documented_runs", "test_documented_examples"),
    *("test_measure_simgrid", "test_validate_command", "test_pages_in_a_browser"),
    *("test_libraries_table", "test_inject_suite", "test_hostile", "test_hosts_measure"),
)
