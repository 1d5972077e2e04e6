"""ReFrame: traces a program on each system and checks its latency tolerance there.

reframe -c reframe_latency.py -r

ReFrame runs it in a copy of src/, which lies beside this file: app, network.toml, baseline.json.
"""

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class LatencyTolerance(rfm.RunOnlyRegressionTest):
    """./app on eight ranks."""

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "./app"
    num_tasks = 8
    prerun_cmds = ['eval "$(latitude env -o run --clock cpu ./app)"']
    postrun_cmds = [
        "latitude check run --network network.toml --tolerance '5us at 1%'"
        " --not-worse-than baseline.json --margin 3% --junit latency.xml"
    ]

    @sanity_function
    def all_demands_hold(self):
        """What `latitude check` prints when its exit status is 0."""
        return sn.assert_found(r"(The demand holds|All of \d+ demands hold)\.", self.stdout)
