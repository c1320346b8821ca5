"""Exit codes, options and their environment twins: what a caller can rely on."""

import subprocess

import pytest

from lib import proc


def run(*words: str, env: dict | None = None, timeout: float = 10) -> subprocess.CompletedProcess:
    return subprocess.run([proc.program("antifreeze-run"), *words], capture_output=True, text=True, timeout=timeout,
                          env={"PATH": "/usr/bin:/bin", **(env or {})}, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture
def gated(tmp_path):
    """Runs a command through a gate of its own."""
    def go(*command: str, options: tuple = (), env: dict | None = None):
        return run("--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s", *options, "--", *command, env=env)
    return go


@pytest.mark.parametrize("code", [0, 1, 2, 42, 125, 126, 127, 137, 255])
def test_the_commands_own_code_comes_back(gated, code):
    assert gated("/bin/sh", "-c", f"exit {code}").returncode == code


@pytest.mark.parametrize("number", [1, 2, 6, 9, 11, 15, 34])
def test_a_signal_death_is_128_and_the_signal(gated, number):
    assert gated("/bin/sh", "-c", f"kill -{number} $$").returncode == 128 + number


def test_command_not_found_is_127(gated):
    done = gated("no-such-command-anywhere")
    assert done.returncode == 127
    assert "no-such-command-anywhere" in done.stderr


def test_command_not_executable_is_126(gated, tmp_path):
    script = tmp_path / "plain"
    script.write_text("#!/bin/sh\n")
    done = gated(str(script))
    assert done.returncode == 126
    assert str(script) in done.stderr


def test_a_script_without_an_interpreter_is_no_start(gated, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert gated(str(script)).returncode in (126, 127)


@pytest.mark.parametrize("words", [
    ["--no-such-option", "--", "true"], ["--priority", "11", "--", "true"], ["--priority", "x", "--", "true"],
    ["--gather", "soon", "--", "true"], ["--domain", "moon", "--", "true"], ["--ready", "perhaps", "--", "true"],
    ["--on-timeout", "both", "--", "true"], ["--name"], [], ["--"], ["--settle-cap", "1s", "--", "true"],
    ["--reserve", "much", "--", "true"]], ids=" ".join)
def test_usage_errors_are_2_with_one_line(tmp_path, words):
    done = run(*words, env={"ANTIFREEZE_GATE_DIR": str(tmp_path / "gate")})
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and lines[0].startswith("antifreeze: "), done.stderr


def test_a_misspelt_option_is_named_with_the_right_one(tmp_path):
    done = run("--priorty", "1", "--", "true")
    assert "--priority" in done.stderr


def test_our_own_failure_is_125(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run("--gate-dir", str(blocked), "--", "true")
    assert done.returncode == 125
    assert len(done.stderr.splitlines()) == 1


def test_options_have_twins_in_the_environment(tmp_path):
    env = {"ANTIFREEZE_GATE_DIR": str(tmp_path / "gate"), "ANTIFREEZE_NAME": "twin", "ANTIFREEZE_GATHER": "0s",
           "ANTIFREEZE_SETTLE": "0s", "ANTIFREEZE_PRIORITY": "3"}
    done = run("--", "/bin/sh", "-c", "exit 5", env=env)
    assert done.returncode == 5
    assert '"service":"twin"' in (tmp_path / "gate" / "log.jsonl").read_text()


def test_the_command_line_goes_before_the_environment(tmp_path):
    env = {"ANTIFREEZE_GATE_DIR": str(tmp_path / "gate"), "ANTIFREEZE_NAME": "twin", "ANTIFREEZE_GATHER": "0s"}
    assert run("--name", "said", "--settle", "0s", "--", "/bin/true", env=env).returncode == 0
    assert '"service":"said"' in (tmp_path / "gate" / "log.jsonl").read_text()


def test_a_bad_value_in_the_environment_is_a_usage_error_too(tmp_path):
    done = run("--", "true", env={"ANTIFREEZE_GATE_DIR": str(tmp_path / "g"), "ANTIFREEZE_GATHER": "soon"})
    assert done.returncode == 2
    assert "ANTIFREEZE_GATHER" in done.stderr


def test_everything_behind_the_dashes_is_the_commands(gated):
    done = gated("/bin/echo", "--name", "x", "--", "-h")
    assert done.stdout == "--name x -- -h\n"


def test_words_environment_and_output_arrive_untouched(gated):
    odd = "a b\t'\"$(x)\\ é\n"
    done = gated("/usr/bin/python3", "-c", "import os,sys; sys.stdout.write(sys.argv[1] + os.environ['KEPT'])", odd,
                 env={"KEPT": odd})
    assert done.stdout == odd * 2


def test_help_and_version(tmp_path):
    helped = run("--help")
    assert helped.returncode == 0 and "--gate-dir" in helped.stdout and not helped.stderr
    assert run("--version").stdout.startswith("antifreeze ")


def test_quiet_says_only_what_matters(gated, tmp_path):
    (tmp_path / "gate").mkdir()  # that one was made matters
    assert gated("/bin/true", options=("--quiet", "--hold-until-exit")).stderr == ""


def test_an_empty_twin_counts_as_not_set(tmp_path):
    env = {"ANTIFREEZE_GATE_DIR": str(tmp_path / "gate"), "ANTIFREEZE_PRIORITY": "", "ANTIFREEZE_NAME": "", "ANTIFREEZE_GATHER": "0s",
           "ANTIFREEZE_SETTLE": "0s", "ANTIFREEZE_READY": ""}
    assert run("--", "/bin/true", env=env).returncode == 0


@pytest.mark.parametrize("name,value", [("PRIORITY", "high"), ("READY", "perhaps"), ("DOMAIN", "gpu:"), ("SETTLE_CAP", "1s")])
def test_an_error_from_the_environment_names_the_variable(tmp_path, name, value):
    done = run("--", "/bin/true", env={"ANTIFREEZE_GATE_DIR": str(tmp_path / "gate"), f"ANTIFREEZE_{name}": value})
    assert done.returncode == 2 and f"ANTIFREEZE_{name}" in done.stderr, done
    assert "--" + name.lower().replace("_", "-") + ":" not in done.stderr


def test_a_job_that_ends_with_0_is_told_how_to_say_that_it_is_one(gated):
    done = gated("/bin/true")
    said = [line for line in done.stderr.splitlines() if "failed start" in line]
    assert done.returncode == 0 and len(said) == 1, done
    assert "--hold-until-exit" in said[0] and "the next start waits 10s (1 failed start)" in said[0]
    assert "--hold-until-exit" not in gated("/bin/false", options=("--name", "other")).stderr


def test_a_command_with_control_characters_gets_a_name_all_the_same(tmp_path):
    script = tmp_path / "my\nserver"
    script.write_text("#!/bin/sh\necho up\n")
    script.chmod(0o755)
    done = run("--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s", "--", str(script))
    assert done.returncode == 0 and done.stdout == "up\n", done
    assert '"service":"my_server-' in (tmp_path / "gate" / "log.jsonl").read_text()


def test_a_start_within_a_start_does_not_wait_for_itself(tmp_path):
    gate = ["--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s"]
    inner = [proc.program("antifreeze-run"), *gate, "--name", "inner", "--", "/bin/sh", "-c", "echo inner; exit 3"]
    done = run(*gate, "--name", "outer", "--hold-until-exit", "--", *inner)
    assert done.returncode == 3 and done.stdout == "inner\n", done
    said = [line for line in done.stderr.splitlines() if line.startswith("antifreeze: inner")]
    assert len(said) == 1 and "part of a start that holds the gate" in said[0], done.stderr
    assert '"service":"inner"' not in (tmp_path / "gate" / "log.jsonl").read_text()


def test_a_start_within_one_that_lets_go_by_itself_takes_its_turn(tmp_path):
    """The outer one asks nobody whether it is up: to run beside it would leave the inner one's start unprotected."""
    gate = ["--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s"]
    done = run(*gate, "--name", "outer", "--", proc.program("antifreeze-run"), *gate, "--name", "inner", "--", "/bin/echo", "in")
    assert done.returncode == 0 and done.stdout == "in\n", done
    assert '"service":"inner","domain":"host","state":"granted"' in (tmp_path / "gate" / "log.jsonl").read_text()


def test_a_start_below_a_server_that_is_up_takes_its_turn(tmp_path):
    """The server's ticket is gone by then, so its name in the environment means nothing any more."""
    gate = ["--gate-dir", str(tmp_path / "gate"), "--gather", "0s", "--settle", "0s"]
    inner = [proc.program("antifreeze-run"), *gate, "--name", "inner", "--", "/bin/echo", "inner"]
    script = f"while ! grep -q ready {tmp_path}/gate/log.jsonl; do sleep 0.02; done; exec \"$@\""
    done = run(*gate, "--name", "outer", "--", "/bin/sh", "-c", script, "sh", *inner)
    assert done.returncode == 0 and done.stdout == "inner\n", done
    assert '"service":"inner","domain":"host","state":"granted"' in (tmp_path / "gate" / "log.jsonl").read_text()
