#include "host/probe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/fake/child_process.h"
#include "host/fake/loopback_server.h"
#include "host/fake/scripted_probe.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::host {
namespace {

using fake::LoopbackServer;
using Kind = ProbeResult::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::MonoTime kStart{1'000'000'000};

/// Gives the probe every turn that it can use; returns when it is done or nothing happens for a while.
void turn(SocketProbe& probe, int patience_ms = 2) {
  while (!probe.result()) {
    pollfd wait{probe.fd(), probe.events(), 0};
    if (::poll(&wait, 1, patience_ms) != 1) return;
    probe.on_ready(wait.revents);
  }
}

class Probing : public ::testing::Test {
 protected:
  void start(const std::string& path = "/health") {
    probe_.start(*parse_http_target("http://" + server_.address() + path), kStart, seconds(5));
    turn(probe_);
    ASSERT_TRUE(server_.has_caller());
    server_.accept();
  }
  void expect(Kind kind, int status = 0) {
    turn(probe_, 5000);
    ASSERT_TRUE(probe_.result());
    EXPECT_EQ(probe_.result()->kind, kind) << probe_.result()->reason;
    EXPECT_EQ(probe_.result()->status, status);
    EXPECT_EQ(probe_.fd(), -1) << "the socket outlived the probe";
    EXPECT_FALSE(probe_.deadline());
  }
  LoopbackServer server_;
  SocketProbe probe_;
};

TEST_F(Probing, AsksWithOneCompleteRequest) {
  start("/v2/health/ready?x=1");
  EXPECT_EQ(server_.received(), "GET /v2/health/ready?x=1 HTTP/1.1\r\nHost: " + server_.address() +
                                    "\r\nUser-Agent: antifreeze\r\nAccept: */*\r\nConnection: close\r\n\r\n");
  server_.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  expect(Kind::kAnswered, 200);
}

TEST_F(Probing, TakesAnAnswerThatComesByteByByte) {
  start();
  for (const char c : std::string_view("HTTP/1.1 503 Loading\r\nContent-Length: 0\r\n\r\n")) {
    EXPECT_FALSE(probe_.result());
    server_.send({&c, 1});
    turn(probe_);
  }
  expect(Kind::kAnswered, 503);
}

TEST_F(Probing, DoesNotWaitForTheContentOfAHealthAnswer) {
  start();
  server_.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
  expect(Kind::kAnswered, 200);
}

TEST_F(Probing, WaitsForTheWholeAnswerWhenAskedTo) {
  auto target = *parse_http_target("http://" + server_.address() + "/api/generate");
  target.method = "POST";
  target.json_body = "{\"model\":\"m\"}";
  target.whole_answer = true;
  probe_.start(target, kStart, seconds(600));
  turn(probe_);
  server_.accept();
  EXPECT_NE(server_.received().find("Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"model\":\"m\"}"),
            std::string::npos);
  EXPECT_TRUE(server_.received().starts_with("POST /api/generate HTTP/1.1\r\n"));
  server_.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  turn(probe_);
  EXPECT_FALSE(probe_.result()) << "the load is not over yet";
  server_.send("2\r\n{}\r\n0\r\n\r\n");
  expect(Kind::kAnswered, 200);
}

TEST_F(Probing, DrainsALongAnswerWithoutKeepingIt) {
  auto target = *parse_http_target("http://" + server_.address() + "/");
  target.whole_answer = true;
  probe_.start(target, kStart, seconds(5));
  turn(probe_);
  server_.accept();
  server_.send("HTTP/1.0 200 OK\r\n\r\n");
  const std::string block(20'000, 'x');
  for (int i = 0; i < 50; ++i) {
    server_.send(block);
    turn(probe_);
  }
  EXPECT_FALSE(probe_.result());
  server_.hang_up();
  expect(Kind::kAnswered, 200);
}

TEST_F(Probing, NamesAServerThatDoesNotSpeakHttp) {
  start();
  server_.send("SSH-2.0-OpenSSH\r\n");
  expect(Kind::kBroken);
  EXPECT_NE(probe_.result()->reason.find("not HTTP"), std::string::npos);
}

TEST_F(Probing, SurvivesAPeerThatHangsUpOrResets) {
  start();
  server_.hang_up();
  expect(Kind::kBroken);
  start();
  server_.reset_connection();
  expect(Kind::kBroken);
}

TEST_F(Probing, GivesUpAtItsDeadlineAndNotBefore) {
  start();
  probe_.on_time(kStart + seconds(5) - core::Nanos(1));
  EXPECT_FALSE(probe_.result());
  EXPECT_EQ(probe_.deadline(), kStart + seconds(5));
  probe_.on_time(kStart + seconds(5));
  expect(Kind::kTimeout);
}

TEST_F(Probing, CanBeStartedAgainInTheMiddle) {
  start();
  server_.send("HTTP/1.1 200");
  start("/again");
  EXPECT_NE(server_.received().find("/again"), std::string::npos);
  server_.send("HTTP/1.1 404 Not Found\r\n\r\n");
  expect(Kind::kAnswered, 404);
  probe_.cancel();
  EXPECT_FALSE(probe_.result());
}

TEST_F(Probing, TcpTargetIsContentWithBeingAccepted) {
  probe_.start(*parse_tcp_target(server_.address()), kStart, seconds(5));
  expect(Kind::kConnected);
}

TEST_F(Probing, LocalhostGoesOnToTheSecondAddress) {
  const LoopbackServer bound_only(false);  // nobody listens on that port
  auto target = *parse_tcp_target(bound_only.address());
  target.addresses.push_back(parse_tcp_target(server_.address())->addresses[0]);
  probe_.start(target, kStart, seconds(5));
  expect(Kind::kConnected);
  EXPECT_TRUE(server_.has_caller());
}

TEST_F(Probing, NobodyListeningIsRefusedWithTheAddress) {
  const LoopbackServer bound_only(false);
  probe_.start(*parse_http_target("http://" + bound_only.address() + "/"), kStart, seconds(5));
  expect(Kind::kRefused);
  EXPECT_NE(probe_.result()->reason.find(bound_only.address()), std::string::npos);
}

TEST(SelfConnection, IsToldFromARealOne) {
  // What happens by chance when the kernel picks the very port that we ask for our end, made certain by bind().
  const LoopbackServer bound_only(false);
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  ASSERT_EQ(::getsockname(bound_only.fd(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::connect(bound_only.fd(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_TRUE(is_connected_to_itself(bound_only.fd()));
  const LoopbackServer server;
  const core::Fd caller(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::getsockname(server.fd(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::connect(caller.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_FALSE(is_connected_to_itself(caller.get()));
}

TEST(UnixProbe, FindsPathsAndAbstractNames) {
  const fake::TempDir dir;
  for (const auto& name : {dir.path("engine.sock"), "@antifreeze-test-" + std::to_string(::getpid())}) {
    SocketProbe probe;
    probe.start(*parse_unix_target(name), kStart, seconds(1));
    ASSERT_TRUE(probe.result());
    EXPECT_EQ(probe.result()->kind, Kind::kRefused) << "nothing there yet";
    LoopbackServer server(name);
    probe.start(*parse_unix_target(name), kStart, seconds(1));
    turn(probe);
    ASSERT_TRUE(probe.result());
    EXPECT_EQ(probe.result()->kind, Kind::kConnected) << probe.result()->reason;
    server.accept();
    probe.start(*parse_http_target("http://unix:" + name + ":/health"), kStart, seconds(1));
    turn(probe);
    server.accept();
    server.send("HTTP/1.1 200 OK\r\n\r\n");
    turn(probe);
    ASSERT_TRUE(probe.result());
    EXPECT_EQ(probe.result()->status, 200);
  }
}

TEST(UnixProbe, ForbiddenSocketIsAnErrorNotAnAbsence) {
  const fake::TempDir dir;
  const LoopbackServer server(dir.path("s"));
  ASSERT_EQ(::chmod(dir.path("s").c_str(), 0), 0);
  const fake::ChildProcess child([&](auto say) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) say("cannot change user");
    SocketProbe probe;
    probe.start(*parse_unix_target(dir.path("s")), kStart, seconds(1));
    say(probe.result() && probe.result()->kind == Kind::kError ? "error" : "something else");
  });
  EXPECT_EQ(child.hear(), "error");
}

TEST(ScriptedProbe, RefusesWhatWasNotScripted) {
  fake::ScriptedProbe probe;
  probe.then(Kind::kAnswered, 503, milliseconds(30));
  const auto target = *parse_tcp_target("127.0.0.1:1");
  probe.start(target, kStart, seconds(1));
  EXPECT_FALSE(probe.result());
  probe.on_time(kStart + milliseconds(30));
  EXPECT_EQ(probe.result()->status, 503);
  probe.start(target, kStart, seconds(1));
  EXPECT_EQ(probe.result()->kind, Kind::kError);
  EXPECT_EQ(probe.unscripted, 1);
  EXPECT_EQ(probe.asked, (std::vector<std::string>{"tcp:127.0.0.1:1", "tcp:127.0.0.1:1"}));
}

}  // namespace
}  // namespace antifreeze::host
