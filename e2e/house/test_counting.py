"""The closing line of ./dev test says what was really run."""

import pathlib

import junit
import run_tests

CTEST = """<testsuite tests="4">
<testcase name="core.A" classname="core.A" time="0.01" status="run"/>
<testcase name="core.B" classname="core.B" time="0.02" status="fail"><failure message="no"/></testcase>
<testcase name="core.C" classname="core.C" time="0.00" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] X
/x/y_test.cc:17: Skipped
no cgroups here

[  SKIPPED ] X</system-out></testcase>
<testcase name="core.D" classname="core.D" time="0.00" status="disabled"/>
</testsuite>"""
PYTEST = """<testsuites><testsuite>
<testcase classname="e2e.test_x" name="test_a" time="1.5"/>
<testcase classname="e2e.test_x" name="test_b" time="0.1"><error message="fixture"/></testcase>
<testcase classname="e2e.test_x" name="test_c" time="0.1"><skipped message="no docker"/></testcase>
</testsuite></testsuites>"""


def written(tmp_path: pathlib.Path, content: str) -> pathlib.Path:
    path = tmp_path / "report.xml"
    path.write_text(content)
    return path


def test_counts_what_ctest_wrote(tmp_path):
    counts = junit.read(written(tmp_path, CTEST))
    assert (counts.passed, counts.failed) == (1, ["core.B"])
    assert counts.skipped == [("core.C", "no cgroups here"), ("core.D", "disabled")]


def test_counts_what_pytest_wrote(tmp_path):
    counts = junit.read(written(tmp_path, PYTEST))
    assert (counts.passed, counts.failed) == (1, ["e2e.test_x::test_b"])
    assert counts.skipped == [("e2e.test_x::test_c", "no docker")]


def test_a_report_that_is_missing_or_torn_counts_nothing(tmp_path):
    assert junit.read(tmp_path / "none.xml").total() == 0
    assert junit.read(written(tmp_path, CTEST[:100])).total() == 0


def stage(passed: int = 0, failed: tuple = (), skipped: tuple = (), broke: tuple = ()) -> run_tests.Stage:
    return run_tests.Stage("s", "a stage", counts=junit.Counts(passed, list(failed), list(skipped)), broke=list(broke))


def test_the_last_line_sums_up_all_stages():
    lines = run_tests.summary([stage(passed=3, skipped=(("x", "why"),)), stage(passed=2, failed=("y",))])
    assert lines[-1] == "5 passed, 1 failed, 1 skipped"
    assert "SKIPPED s: x: why" in lines
    assert "FAILED  s: y" in lines


def test_a_stage_whose_tool_broke_is_one_failure():
    assert run_tests.summary([stage(broke=("no compiler",))])[-1] == "0 passed, 1 failed, 0 skipped"


def test_failed_tests_are_not_counted_twice_because_their_runner_failed():
    assert run_tests.summary([stage(passed=1, failed=("a", "b"), broke=("ctest: exit 8",))])[-1] == (
        "1 passed, 2 failed, 0 skipped")


def test_a_runner_that_ran_no_test_is_a_failure(tmp_path):
    broken = stage()
    run_tests.collect(broken, written(tmp_path, "<testsuite/>"))
    assert broken.failed() == 1


def test_every_stage_of_the_default_run_exists():
    assert set(run_tests.DEFAULT) < set(run_tests.STAGES)
    assert run_tests.DEFAULT[0] == "build"
