#include "host/http_response.h"

#include <gtest/gtest.h>

namespace antifreeze::host {
namespace {

using State = HttpResponseReader::State;

/// Feeds `text` in pieces of every size in turn and expects the same outcome each time.
void expect_outcome(const std::string& text, State state, std::optional<int> status) {
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    HttpResponseReader reader;
    for (std::size_t at = 0; at < text.size(); at += piece) reader.feed(std::string_view(text).substr(at, piece));
    EXPECT_EQ(reader.state(), state) << "in pieces of " << piece << ": " << text;
    EXPECT_EQ(reader.status(), status) << "in pieces of " << piece << ": " << text;
    if (reader.state() != state) return;
  }
}

TEST(HttpResponse, IsDoneWhereTheContentEnds) {
  expect_outcome("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd", State::kDone, 200);
  expect_outcome("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcd", State::kBody, 200);
  expect_outcome("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", State::kDone, 200);
  expect_outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n", State::kDone, 200);
  expect_outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n", State::kBody, 200);
  expect_outcome("HTTP/1.0 503 Service Unavailable\r\n\r\n{\"error\":", State::kBody, 503);
  expect_outcome("HTTP/1.1 204 No Content\r\n\r\n", State::kDone, 204);
}

TEST(HttpResponse, TakesBareLineFeedsAndAMissingReason) {
  expect_outcome("HTTP/1.0 200\nServer: x\n\n", State::kBody, 200);
}

TEST(HttpResponse, PassesOverProvisionalAnswers) {
  expect_outcome(
      "HTTP/1.1 100 Continue\r\nContent-Length: 9\r\n\r\nHTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
      State::kDone, 404);
}

TEST(HttpResponse, HasNoStatusBeforeItsHeadIsComplete) {
  expect_outcome("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", State::kHead, std::nullopt);
}

TEST(HttpResponse, RefusesWhatIsNotHttp) {
  for (const char* text : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/2 200\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 20 OK\r\n",
                           "HTTP/1.1 abc OK\r\n", "HTTP/1.1 -20 OK\r\n", "HTTP/1.1 999 OK\r\n", "HTTP/1.1\r\n",
                           "\r\n\r\n", "200 OK\r\n"}) {
    expect_outcome(text, State::kBad, std::nullopt);
  }
  expect_outcome(std::string("\x16\x03\x01\x00\xff", 5), State::kBad, std::nullopt);
}

TEST(HttpResponse, BoundsItsMemoryWhateverIsSent) {
  HttpResponseReader endless_line;
  endless_line.feed("HTTP/1.1 200 ");
  for (int i = 0; i < 10; ++i) endless_line.feed(std::string(1000, 'x'));
  EXPECT_EQ(endless_line.state(), State::kBad);
  HttpResponseReader endless_fields;
  endless_fields.feed("HTTP/1.1 200 OK\r\n");
  for (int i = 0; i < 1000; ++i) endless_fields.feed("A: b\r\nC: d\r\n");
  EXPECT_EQ(endless_fields.state(), State::kBad);
  HttpResponseReader endless_provisional;
  for (int i = 0; i < 1000; ++i) endless_provisional.feed("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(endless_provisional.state(), State::kBad);
}

TEST(HttpResponse, IgnoresAnAbsurdLength) {
  expect_outcome("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nx", State::kBody, 200);
}

TEST(HttpResponse, CloseEndsABodyButNotAHead) {
  HttpResponseReader nothing;
  EXPECT_EQ(nothing.finish(), State::kBad);
  EXPECT_EQ(nothing.reason(), "closed the connection without an answer");
  HttpResponseReader head;
  head.feed("HTTP/1.1 200 OK\r\n");
  EXPECT_EQ(head.finish(), State::kBad);
  HttpResponseReader body;
  body.feed("HTTP/1.1 200 OK\r\n\r\nabc");
  EXPECT_EQ(body.finish(), State::kDone);
  EXPECT_EQ(body.status(), 200);
}

}  // namespace
}  // namespace antifreeze::host
