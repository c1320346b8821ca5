#include "cli/html_text.h"

#include <gtest/gtest.h>

namespace antifreeze::cli {
namespace {

constexpr const char* kBad = "\xEF\xBF\xBD";

std::string bad(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += kBad;
  return out;
}

TEST(HtmlText, MarkupAndQuotesMeanNothing) {
  EXPECT_EQ(html_text("<script>alert('x')</script>"), "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  EXPECT_EQ(html_text("\" onload=\"x"), "&quot; onload=&quot;x");
  EXPECT_EQ(html_text("a && b &lt;"), "a &amp;&amp; b &amp;lt;");
  EXPECT_EQ(html_element("code", "</code><b>", " class=\"x\""), "<code class=\"x\">&lt;/code&gt;&lt;b&gt;</code>");
}

TEST(HtmlText, ControlBytesAreReplaced) {
  EXPECT_EQ(html_text(std::string("a\x1b[31m\0b", 8)), "a" + bad(1) + "[31m" + bad(1) + "b");
  EXPECT_EQ(html_text("a\nb\tc\x7f"), "a" + bad(1) + "b c" + bad(1));
  EXPECT_EQ(html_text("\xC2\x9B"), bad(1)) << "CSI as one character";
}

TEST(HtmlText, WhatTurnsOrHidesTextIsReplaced) {
  EXPECT_EQ(html_text("a\xE2\x80\xAE"
                      "b"),
            "a" + bad(1) + "b")
      << "right-to-left override";
  EXPECT_EQ(html_text("\xE2\x81\xA6\xE2\x80\x8B\xEF\xBB\xBF\xE2\x80\xA8"), bad(4));
}

TEST(HtmlText, OnlyWholeUtf8Stays) {
  EXPECT_EQ(html_text("電源断 – é 🔥"), "電源断 – é 🔥");
  EXPECT_EQ(html_text("\xe9\x9b"), bad(2)) << "cut in the middle";
  EXPECT_EQ(html_text("\xC0\xBC"
                      "script"),
            bad(2) + "script")
      << "an overlong '<'";
  EXPECT_EQ(html_text("\xE0\x80\xBC\xF0\x80\x80\xBC"), bad(7));
  EXPECT_EQ(html_text("\xED\xA0\x80\xF4\x90\x80\x80\xff"), bad(6)) << "a surrogate, beyond Unicode, no UTF-8 at all";
  EXPECT_EQ(html_text("\xEF\xBF\xBE"), bad(1)) << "no character";
}

}  // namespace
}  // namespace antifreeze::cli
