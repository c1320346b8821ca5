// The pure parts of the shim: what was asked, who gets the gate, what the bundle becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/fake/temp_dir.h"
#include "runtime/container_name.h"
#include "runtime/gate_decide.h"
#include "runtime/invocation.h"
#include "runtime/settings.h"

namespace antifreeze::runtime {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string_view>;

TEST(Invocation, FindsTheBundleAsRuncDoes) {
  const auto call = read_create(Words{"--root", "/run/r", "--log", "/l.json", "--log-format=json", "--systemd-cgroup",
                                      "create", "--bundle", "/b", "--pid-file", "/p", "abc"});
  ASSERT_TRUE(call);
  EXPECT_EQ(call->bundle, "/b");
  EXPECT_EQ(call->id, "abc");
  EXPECT_EQ(read_create(Words{"create", "-b=/x", "abc"})->bundle, "/x");
  EXPECT_EQ(read_create(Words{"create", "abc"})->bundle, ".");
  for (const auto& other : {Words{}, Words{"--version"}, Words{"features"}, Words{"start", "abc"}, Words{"create"},
                            Words{"create", "--bundle"}, Words{"create", "a", "b"}, Words{"--log", "create"},
                            Words{"--root", "create", "delete", "create"}}) {
    EXPECT_FALSE(read_create(other));
  }
  EXPECT_EQ(flavour_of("/x/antifreeze-runtime-nvidia"), Flavour::kNvidia);
  EXPECT_EQ(flavour_of("/nvidia/antifreeze-runtime"), Flavour::kPlain);
}

Json bundle(const std::vector<std::string>& args,
            const std::vector<std::string>& env = {"NVIDIA_VISIBLE_DEVICES=all"}) {
  return {{"ociVersion", "1.0.2"},
          {"process", {{"args", args}, {"env", env}, {"cwd", "/"}}},
          {"root", {{"path", "/none"}}},
          {"mounts", Json::array({{{"destination", "/proc"}, {"type", "proc"}, {"source", "proc"}}})}};
}

ContainerSpec spec_of(const Json& json) {
  const auto tree = core::JsonTree::parse(json.dump());
  auto spec = read_spec(*tree);
  EXPECT_TRUE(spec);
  return *spec;
}

bool gated(const Json& json, Flavour flavour = Flavour::kPlain) { return decide_gate(spec_of(json), flavour).gate; }

const std::vector<std::string> kVllm{"vllm", "serve", "m"};

TEST(GateDecide, TakesAGpuAndAKnownEngine) {
  EXPECT_TRUE(gated(bundle(kVllm)));
  EXPECT_TRUE(gated(bundle({"/sbin/docker-init", "--", "vllm", "serve", "m"})));
  EXPECT_FALSE(gated(bundle(kVllm, {})));
  EXPECT_FALSE(gated(bundle(kVllm, {"NVIDIA_VISIBLE_DEVICES=void"})));
  EXPECT_FALSE(gated(bundle({"nginx"})));
  EXPECT_FALSE(gated(bundle({"/antifreeze-run", "--", "vllm", "serve", "m"})));
  EXPECT_TRUE(gated(bundle(kVllm, {"CUDA_VERSION=12"}), Flavour::kNvidia));
  EXPECT_FALSE(gated(bundle(kVllm, {"CUDA_VERSION=12"})));
  auto devices = bundle(kVllm, {});
  devices["linux"]["devices"] = Json::array({{{"path", "/dev/nvidia0"}}});
  EXPECT_TRUE(gated(devices));
  auto hooks = bundle(kVllm, {});
  hooks["hooks"]["prestart"] = Json::array({{{"path", "/usr/bin/nvidia-container-runtime-hook"}}});
  EXPECT_TRUE(gated(hooks));
}

TEST(GateDecide, AnnotationBeforeVariableBeforeTheRest) {
  EXPECT_TRUE(gated(bundle({"nginx"}, {"ANTIFREEZE=1"})));
  EXPECT_FALSE(gated(bundle(kVllm, {"NVIDIA_VISIBLE_DEVICES=all", "ANTIFREEZE=0"})));
  auto json = bundle(kVllm, {"ANTIFREEZE=1"});
  json["annotations"]["antifreeze.gate"] = "0";
  EXPECT_FALSE(gated(json));
  json["process"]["selinuxLabel"] = "x:y:z";
  json["annotations"]["antifreeze.gate"] = "1";
  EXPECT_FALSE(gated(json));
}

TEST(MountFolder, AvoidsFoldersOfTheHostAndLinks) {
  auto json = bundle(kVllm);
  EXPECT_EQ(mount_folder(spec_of(json), false), "/run/antifreeze");
  EXPECT_EQ(mount_folder(spec_of(json), true), "/.antifreeze");
  json["mounts"].push_back({{"destination", "/run/"}, {"type", "tmpfs"}, {"source", "tmpfs"}});
  EXPECT_EQ(mount_folder(spec_of(json), false), "/run/antifreeze");
  json["mounts"].push_back({{"destination", "/run"}, {"type", "bind"}, {"source", "/run"}});
  EXPECT_EQ(mount_folder(spec_of(json), false), "/.antifreeze");
  json["mounts"].push_back({{"destination", "/.antifreeze/x"}, {"type", "tmpfs"}});
  json["mounts"].push_back({{"destination", "/opt"}, {"type", "bind"}, {"source", "/opt"}});
  EXPECT_FALSE(mount_folder(spec_of(json), false));
}

TEST(Rewrite, ChangesArgsMountsAndVariablesAndNothingElse) {
  auto json = bundle({"/sbin/docker-init", "--", "vllm", "serve", "m"}, {"A=1", "ANTIFREEZE_PRIORITY=10"});
  json["unknown"] = {{"big", 18446744073709551615U}, {"real", 1.5}};
  const auto tree = core::JsonTree::parse(json.dump());
  const auto changed = rewrite(*tree, spec_of(json), {"/run/antifreeze", "/h/antifreeze-run", "/run/g", "chat", 3});
  ASSERT_TRUE(changed);
  auto expected = json;
  expected["process"]["args"] = {
      "/sbin/docker-init", "--", "/run/antifreeze/antifreeze-run", "--", "vllm", "serve", "m"};
  expected["process"]["env"] = {"A=1", "ANTIFREEZE_PRIORITY=3", "ANTIFREEZE_SHARED=1",
                                "ANTIFREEZE_GATE_DIR=/run/antifreeze/gate", "ANTIFREEZE_NAME=chat"};
  expected["mounts"].push_back({{"destination", "/run/antifreeze/antifreeze-run"},
                                {"type", "bind"},
                                {"source", "/h/antifreeze-run"},
                                {"options", {"bind", "ro", "nosuid", "nodev", "rprivate"}}});
  expected["mounts"].push_back({{"destination", "/run/antifreeze/gate"},
                                {"type", "bind"},
                                {"source", "/run/g"},
                                {"options", {"bind", "rw", "noexec", "nosuid", "nodev", "rprivate"}}});
  EXPECT_EQ(*changed, expected.dump());
}

TEST(Rewrite, RefusesWhatIsNotThereOnce) {
  for (const std::string text :
       {"[]", "{}", R"({"process":{}})", R"({"process":{"args":[]}})", R"({"process":{"args":[1]}})",
        R"({"process":{"args":["a"]},"Process":{}})", R"({"process":{"args":["a"],"args":["b"]}})"}) {
    const auto tree = core::JsonTree::parse(text);
    ASSERT_TRUE(tree);
    EXPECT_FALSE(read_spec(*tree)) << text;
  }
}

TEST(ContainerName, StandsInDockersFolder) {
  const host::fake::TempDir dir;
  dir.write("containers/abc/config.v2.json", R"({"ID":"abc","Name":"/chat"})");
  auto json = bundle(kVllm);
  EXPECT_EQ(docker_name(spec_of(json), "0123456789abcdef"), "0123456789ab");
  json["root"]["path"] = dir.path("overlay2/x/merged");
  EXPECT_EQ(docker_name(spec_of(json), "abc"), "chat");
  json["root"]["path"] = "/none";
  json["mounts"].push_back(
      {{"destination", "/etc/hosts"}, {"type", "bind"}, {"source", dir.path("containers/other/hosts")}});
  EXPECT_EQ(docker_name(spec_of(json), "abc"), "chat");
  EXPECT_EQ(docker_name(spec_of(json), "../abc"), "../abc");
}

TEST(Settings, SurviveTheFileAndIgnoreNonsense) {
  Settings settings;
  settings.gate_dir = "/g";
  settings.budget_ms = 50;
  EXPECT_EQ(parse_settings(settings_text(settings)).gate_dir, "/g");
  EXPECT_EQ(parse_settings(settings_text(settings)).budget_ms, 50);
  EXPECT_EQ(parse_settings("budget-ms=-1\nnew=1\nrunc=\nx\n").budget_ms, 1000);
  EXPECT_EQ(settings_text(Settings()), "");
}

TEST(Priorities, ComeFromOrderAndTable) {
  const auto found = parse_priorities("[gate]\norder = ['a','b']\n[gate.priorities]\nb = -5\nc = 2\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at("a"), 10);
  EXPECT_EQ(found->at("b"), -5);
  EXPECT_EQ(found->at("c"), 2);
  EXPECT_TRUE(parse_priorities("")->empty());
  EXPECT_FALSE(parse_priorities("[gate.priorities]\nb = 11\n"));
  EXPECT_FALSE(parse_priorities("[gate]\norder = [1]\n"));
  EXPECT_FALSE(parse_priorities("[gate\n"));
}

}  // namespace
}  // namespace antifreeze::runtime
