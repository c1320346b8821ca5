#include "host/probe_target.h"

#include <gtest/gtest.h>

namespace antifreeze::host {
namespace {

std::vector<std::string> addresses(const core::Result<ProbeTarget>& target) {
  std::vector<std::string> out;
  if (!target) return {"error: " + target.error().message()};
  for (const auto& address : target->addresses) out.push_back(to_string(address));
  return out;
}
using List = std::vector<std::string>;

TEST(HttpTarget, ReadsNumericAddresses) {
  const auto target = parse_http_target("http://127.0.0.1:8000/health?x=1");
  EXPECT_EQ(addresses(target), List{"127.0.0.1:8000"});
  EXPECT_EQ(target->path, "/health?x=1");
  EXPECT_EQ(target->host, "127.0.0.1:8000");
  EXPECT_TRUE(target->http);
  EXPECT_EQ(target->describe(), "http://127.0.0.1:8000/health?x=1");
  EXPECT_EQ(addresses(parse_http_target("http://[::1]:30000/ping")), List{"[::1]:30000"});
  EXPECT_EQ(addresses(parse_http_target("http://[fe80::1]/")), List{"[fe80::1]:80"});
}

TEST(HttpTarget, LocalhostIsBothLoopbacks) {
  EXPECT_EQ(addresses(parse_http_target("http://localhost:8080")), (List{"127.0.0.1:8080", "[::1]:8080"}));
}

TEST(HttpTarget, AnyAddressMeansThisMachine) {
  EXPECT_EQ(addresses(parse_http_target("http://0.0.0.0:1/")), List{"127.0.0.1:1"});
  EXPECT_EQ(addresses(parse_http_target("http://[::]:1/")), List{"[::1]:1"});
}

TEST(HttpTarget, PathDefaultsToTheRootAndLosesItsFragment) {
  EXPECT_EQ(parse_http_target("http://127.0.0.1:1")->path, "/");
  EXPECT_EQ(parse_http_target("http://127.0.0.1:1?a")->path, "/?a");
  EXPECT_EQ(parse_http_target("http://127.0.0.1:1/a#b")->path, "/a");
}

TEST(HttpTarget, ReachesAServerOnAUnixSocket) {
  const auto target = parse_http_target("http://unix:/run/vllm.sock:/health");
  EXPECT_EQ(addresses(target), List{"unix:/run/vllm.sock"});
  EXPECT_EQ(target->path, "/health");
  EXPECT_EQ(target->host, "localhost");
  EXPECT_EQ(target->describe(), "http://unix:/run/vllm.sock:/health");
  EXPECT_EQ(parse_http_target("http://unix:/run/vllm.sock")->path, "/");
}

TEST(HttpTarget, ExplainsWhatItRefuses) {
  const auto message = [](std::string_view url) { return parse_http_target(url).error().message(); };
  EXPECT_NE(message("https://127.0.0.1:8000/").find("use --ready tcp:PORT"), std::string::npos);
  EXPECT_NE(message("http://server:8000/").find("host names are not looked up"), std::string::npos);
  for (const char* url :
       {"", "http://", "http://:80/", "ftp://127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
        "http://127.0.0.1:/", "http://127.0.0.1:8x/", "http://[::1/", "http://::1/", "http://a@127.0.0.1/",
        "http://127.1:80/", "http://unix:relative:/", "http://unix:/run/x.sock:health", "http://[::1]x:80/"}) {
    EXPECT_FALSE(parse_http_target(url)) << url;
  }
}

TEST(HttpTarget, CannotSmuggleASecondRequest) {
  for (const char* path : {"/a b", "/a\r\nX: y", "/a\n", "/\t", "a", ""}) {
    EXPECT_FALSE(with_http(*parse_tcp_target("127.0.0.1:1"), path)) << path;
  }
  EXPECT_FALSE(parse_http_target("http://127.0.0.1:1/ HTTP/1.1\r\nEvil: 1"));
  EXPECT_FALSE(parse_http_target("http://127.0.0.1:1\r\nEvil: 1/"));
  EXPECT_FALSE(with_http(*parse_tcp_target("127.0.0.1:1"), "/" + std::string(3000, 'a')));
}

TEST(TcpTarget, ReadsPortsAndAddresses) {
  EXPECT_EQ(addresses(parse_tcp_target("8000")), (List{"127.0.0.1:8000", "[::1]:8000"}));
  EXPECT_EQ(addresses(parse_tcp_target("10.0.0.7:8000")), List{"10.0.0.7:8000"});
  EXPECT_EQ(addresses(parse_tcp_target("[::1]:8000")), List{"[::1]:8000"});
  EXPECT_FALSE(parse_tcp_target("8000")->http);
  for (const char* text : {"", "0", "65536", "-1", "host", "127.0.0.1", "8000/", ":8000"}) {
    EXPECT_FALSE(parse_tcp_target(text)) << text;
  }
}

TEST(UnixTarget, AllowsWhatBindAllows) {
  EXPECT_TRUE(parse_unix_target("@abstract"));
  EXPECT_TRUE(parse_unix_target("/" + std::string(106, 'a')));
  EXPECT_FALSE(parse_unix_target("/" + std::string(107, 'a')));
  for (const auto& path : {std::string(), std::string("x.sock"), std::string("@"), std::string("/a\0b", 4)}) {
    EXPECT_FALSE(parse_unix_target(path));
  }
}

}  // namespace
}  // namespace antifreeze::host
