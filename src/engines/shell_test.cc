#include <gtest/gtest.h>

#include "engines/shell_eval.h"
#include "engines/shell_lex.h"
#include "engines/test_env.h"

namespace antifreeze::engines {
namespace {

using Env = std::map<std::string, std::string>;

// The commands of a script, one a line, uncertain words as "?" (one) and "?*" (any number).
std::string follow(std::string_view script, const Env& variables = {}, std::vector<std::string> parameters = {}) {
  ShellCall call{std::string(script), {}};
  for (auto& text : parameters) call.parameters.emplace_back(std::move(text));
  const EnvView view = env_of(variables);
  const auto steps = follow_shell(call, Environment(view));
  if (!steps) return "unreadable";
  std::string out;
  for (const ShellStep& step : *steps) {
    if (!out.empty()) out += "\n";
    for (const Word& word : step.words) {
      if (&word != &step.words.front()) out += "|";
      out += word.text;
      if (word.certainty == Certainty::kOneWord) out += "?";
      if (word.certainty == Certainty::kAnyWords) out += "?*";
    }
  }
  return out;
}

TEST(Shell, SplitsWordsAsAShellDoes) {
  EXPECT_EQ(follow("a b  c"), "a|b|c");
  EXPECT_EQ(follow("a 'b c' \"d e\" f\\ g"), "a|b c|d e|f g");
  EXPECT_EQ(follow("a --x='1 2'\"3\"4"), "a|--x=1 234");
  EXPECT_EQ(follow("a '' \"\""), "a||");
  EXPECT_EQ(follow("a \\\n  b"), "a|b");
  EXPECT_EQ(follow("a \"x\\\"y\\n\\\\\""), "a|x\"y\\n\\");
  EXPECT_EQ(follow("a b#c # comment ; d"), "a|b#c");
  EXPECT_EQ(follow("a $ \"$\" $"), "a|$|$|$");
}

TEST(Shell, SplitsCommands) {
  EXPECT_EQ(follow("a; b && c || d | e & f\ng"), "a\nb\nc\nd\ne\nf\ng");
  EXPECT_EQ(follow("(a; b) && { c; }"), "a\nb\nc\n}");
  EXPECT_EQ(follow("if a; then b; else c; fi"), "a\nb\nc\nfi");
  EXPECT_EQ(follow("while ! a; do b; done"), "a\nb\ndone");
}

TEST(Shell, DropsRedirections) {
  EXPECT_EQ(follow("a >/tmp/x b 2>&1 <in 3>>y c &>z"), "a|b|c");
  EXPECT_EQ(follow("a 2> err.log --port 5"), "a|--port|5");
  EXPECT_EQ(follow("a <<EOF\nb\nEOF"), "a");
  EXPECT_EQ(follow("a <<< word b"), "a|b");
}

TEST(Shell, ReplacesVariablesFromTheEnvironment) {
  const Env env{{"P", "8001"}, {"E", ""}, {"M", "a b"}};
  EXPECT_EQ(follow("x $P ${P} \"${P}\" p=$P", env), "x|8001|8001|8001|p=8001");
  EXPECT_EQ(follow("x $E ${U} \"$E\"", env), "x|");
  EXPECT_EQ(follow("x $M \"$M\" -$M-", env), "x|a|b|a b|-a|b-");
  EXPECT_EQ(follow("x ${U:-5} ${U-6} ${E:-7} ${E-8} ${P:-9}", env), "x|5|6|7|8001");
  EXPECT_EQ(follow("x '$P' \\$P", env), "x|$P|$P");
}

TEST(Shell, WhatCannotBeKnownIsMarked) {
  EXPECT_EQ(follow("x $(cat f) `y` \"$(z)\""), "x|?*|?*|?");
  EXPECT_EQ(follow("x --p=$(y) a$(z)b"), "x|--p=?|a?");
  EXPECT_EQ(follow("x $((1+2)) ${A:+b} ${A%c} ${#A} $'n'"), "x|?*|?*|?*|?*|?*");
  EXPECT_EQ(follow("x ${A:-$B} $? $# $HOSTNAME"), "x|?*|?*|?*|?*");
  EXPECT_EQ(follow(". /etc/env; x $A", {{"A", "1"}}), "x|?*");
  EXPECT_EQ(follow("source v; x \"$A\"", {{"A", "1"}}), "x|?");
}

TEST(Shell, FollowsPlainAssignments) {
  EXPECT_EQ(follow("A=5; x $A"), "x|5");
  EXPECT_EQ(follow("export A=5 B='6 7' && x $A \"$B\" $B"), "x|5|6 7|6|7");
  EXPECT_EQ(follow("A=1\nA=$A$A\nx $A"), "x|11");
  EXPECT_EQ(follow("A=5 x $A"), "x") << "expanded before it is assigned";
  EXPECT_EQ(follow("A=$(y); x $A \"$A\""), "x|?*|?");
}

TEST(Shell, AssignmentsUnderConditionsAreUnknown) {
  EXPECT_EQ(follow("[ -z $B ] && A=5; x $A", {{"B", "1"}}), "[|-z|1|]\nx|?*");
  EXPECT_EQ(follow("if y; then A=5; fi; x $A", {{"A", "1"}}), "y\nfi\nx|?*");
  EXPECT_EQ(follow("y || A=5; x $A"), "y\nx|?*");
  EXPECT_EQ(follow("for i in 1 2; do x $i; done"), "x|?*\ndone");
}

TEST(Shell, PassesParametersOn) {
  EXPECT_EQ(follow("exec x \"$@\" z", {}, {"--", "a", "b c"}), "exec|x|a|b c|z");
  EXPECT_EQ(follow("x $1 $2 $0 $3", {}, {"name", "a", "b"}), "x|a|b|name");
  EXPECT_EQ(follow("shift; x \"$@\" $1", {}, {"--", "a"}), "x|?*|?*");
  EXPECT_EQ(follow("set -e; x $1", {}, {"--", "a"}), "x|a");
}

TEST(Shell, BrokenScriptsAreUnreadable) {
  for (const char* script : {"a 'b", "a \"b", "a \"${b\"", "a $(b", "a `b", "a ${b", "a $'b"}) {
    EXPECT_EQ(follow(script), "unreadable") << script;
  }
  EXPECT_EQ(follow(std::string(70000, 'a')), "unreadable");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "a;";
  EXPECT_EQ(follow(many), "unreadable");
}

TEST(Shell, AScriptThatDoublesItsWordsStaysSmall) {
  std::string script = "A=xx;";
  for (int i = 0; i < 200; ++i) script += "A=$A$A;";
  EXPECT_LT(follow(script + "x $A").size(), 200000U);
}

TEST(ShellCall, FindsTheScriptAmongOptions) {
  const auto script = [](const std::vector<std::string>& argv) -> std::string {
    std::vector<Word> words;
    for (const auto& text : argv) words.emplace_back(text);
    const auto call = parse_shell_call(words);
    return call ? call->script + "/" + std::to_string(call->parameters.size()) : "none";
  };
  EXPECT_EQ(script({"bash", "-c", "s"}), "s/0");
  EXPECT_EQ(script({"/bin/sh", "-ec", "s", "n", "a"}), "s/2");
  EXPECT_EQ(script({"bash", "-lc", "s"}), "s/0");
  EXPECT_EQ(script({"bash", "-euo", "pipefail", "-c", "s"}), "s/0");
  EXPECT_EQ(script({"bash", "--norc", "-c", "s"}), "s/0");
  EXPECT_EQ(script({"bash", "x.sh", "-c", "s"}), "none");
  EXPECT_EQ(script({"bash", "--norc"}), "none");
  EXPECT_EQ(script({"bash", "-c"}), "none");
  EXPECT_EQ(script({"fish", "-c", "s"}), "none");
}

TEST(ShellEngines, FindsTheServerInRealScripts) {
  const auto facts = recognise_script(
      "set -euo pipefail\n"
      "echo \"starting vllm serve\" # vllm serve nothing --port 1\n"
      "cd /workspace && pip install -q x\n"
      "exec vllm serve \"$MODEL\" \\\n"
      "  --host 0.0.0.0 --port ${PORT:-8005} \\\n"
      "  --gpu-memory-utilization \"${GPU_UTIL:-0.3}\" 2>&1 | tee /logs/vllm.log\n",
      {{"MODEL", "Qwen/Qwen3-8B"}, {"GPU_UTIL", "0.45"}});
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->id, "vllm");
  EXPECT_EQ(facts->model, "Qwen/Qwen3-8B");
  EXPECT_EQ(facts->port, 8005);
  EXPECT_EQ(facts->share, (Share{ShareKind::kTotal, 0.45, true}));
}

TEST(ShellEngines, OptionsInAnUnknownVariableHideTheShare) {
  const auto facts = recognise_script("A=$(cat args); vllm serve m --gpu-memory-utilization 0.3 --port 8001 $A");
  ASSERT_TRUE(facts.has_value());
  EXPECT_FALSE(facts->share.has_value());
  EXPECT_EQ(facts->port, 8001);
  EXPECT_FALSE(facts->port_stated);
  EXPECT_FALSE(facts->gpus.has_value());
  const auto later = recognise_script("vllm serve m $(cat args) --gpu-memory-utilization 0.3");
  EXPECT_EQ(later->share, (Share{ShareKind::kTotal, 0.3, true})) << "the last one wins";
}

TEST(ShellEngines, AnUnknownValueIsUnknownAndNotTheDefault) {
  const auto facts = recognise_script("vllm serve m --port $(pick) --gpu-memory-utilization=$(half) -tp $(n)");
  ASSERT_TRUE(facts.has_value());
  EXPECT_FALSE(facts->port.has_value());
  EXPECT_FALSE(facts->share.has_value());
  EXPECT_FALSE(facts->gpus.has_value());
}

TEST(ShellEngines, ExportsReachTheServer) {
  EXPECT_EQ(recognise_script("export OLLAMA_HOST=0.0.0.0:7777; ollama serve")->port, 7777);
  EXPECT_EQ(recognise_script("OLLAMA_HOST=:7778 ollama serve & sleep 5; ollama pull x; wait")->port, 7778);
  EXPECT_EQ(recognise_script("if x; then export OLLAMA_HOST=:7779; fi; ollama serve")->port, std::nullopt);
}

TEST(ShellEngines, PassesTheWordsBehindTheScript) {
  const auto facts = recognise_script("exec vllm serve \"$@\"", {}, {"--", "m", "--port", "8009"});
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->model, "m");
  EXPECT_EQ(facts->port, 8009);
}

TEST(ShellEngines, ManyFormsOfStarting) {
  for (const char* script : {
           "source venv/bin/activate && vllm serve m --port 8009",
           "start() { vllm serve m --port 8009; }; start",
           "if [ -f x ]; then exec vllm serve m --port 8009; fi",
           "nohup numactl -N 0 vllm serve m --port 8009 > log 2>&1 &",
           "${PYTHON:-python3} -m vllm.entrypoints.openai.api_server --port 8009",
           "$(which python3) -m vllm.entrypoints.openai.api_server --port 8009",
           "$WRAP vllm serve m --port 8009",
           "bash -c 'vllm serve m --port 8009'",
           "sleep 1; vllm serve m --port 8009; echo done $?",
       }) {
    const auto facts = recognise_script(script);
    ASSERT_TRUE(facts.has_value()) << script;
    EXPECT_EQ(facts->id, "vllm") << script;
    EXPECT_EQ(facts->port, 8009) << script;
    EXPECT_FALSE(facts->caveats.several_servers) << script;
  }
}

TEST(ShellEngines, SaysWhenThereAreSeveral) {
  const auto facts = recognise_script("vllm serve a --port 8001 & vllm serve b --port 8002");
  ASSERT_TRUE(facts.has_value());
  EXPECT_TRUE(facts->caveats.several_servers);
  EXPECT_EQ(facts->port, 8002);
}

TEST(ShellEngines, AScriptThatCallsItselfEnds) {
  const std::string script = "sh -c \"$X\"; sh -c \"$X\"; sh -c \"$X\"";
  EXPECT_FALSE(recognise_script(script, {{"X", script}}).has_value());
}

}  // namespace
}  // namespace antifreeze::engines
