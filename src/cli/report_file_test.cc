#include "cli/report_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/fake/temp_dir.h"

namespace antifreeze::cli {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

constexpr std::string_view kMark = "<!-- ours -->\n";
const std::string kPage = std::string(kMark) + "page";

std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string error_of(const std::string& path) {
  const auto done = write_report(path, kPage, kMark);
  return done ? "" : done.error().message();
}

TEST(ReportFile, IsNewAndPrivateOrReplacesOneOfOurs) {
  const host::fake::TempDir place;
  const std::string path = place.path() + "/r.html";
  EXPECT_EQ(error_of(path), "");
  EXPECT_EQ(read(path), kPage);
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  place.write("old.html", std::string(kMark) + "yesterday's");
  EXPECT_EQ(error_of(place.path() + "/old.html"), "");
  EXPECT_EQ(read(place.path() + "/old.html"), kPage);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& item : fs::directory_iterator(place.path())) ++files;
  EXPECT_EQ(files, 2U) << "no temporary file stays";
}

TEST(ReportFile, LeavesOthersFilesAlone) {
  const host::fake::TempDir place;
  for (const std::string content : {"", "<!-- ", "<html>mine</html>"}) {
    place.write("other.html", content);
    EXPECT_THAT(error_of(place.path() + "/other.html"),
                EndsWith("other.html is there and is no report of antifreeze; remove it or name another file"));
    EXPECT_EQ(read(place.path() + "/other.html"), content);
  }
  fs::create_symlink(place.path() + "/other.html", place.path() + "/link.html");
  EXPECT_THAT(error_of(place.path() + "/link.html"), EndsWith("is no regular file; remove it or name another file"));
  fs::create_directory(place.path() + "/folder");
  EXPECT_THAT(error_of(place.path() + "/folder"), HasSubstr("is no regular file"));
  EXPECT_THAT(error_of(place.path() + "/folder/"), HasSubstr("is no file's name; add one"));
  EXPECT_THAT(error_of(place.path() + "/none/r.html"), HasSubstr("writing " + place.path() + "/none/r.html: "));
}

TEST(ReportFile, FollowsALinkToAFolder) {
  const host::fake::TempDir place;
  fs::create_directory(place.path() + "/disk");
  fs::create_symlink("disk", place.path() + "/reports");
  EXPECT_EQ(error_of(place.path() + "/reports/r.html"), "");
  EXPECT_EQ(read(place.path() + "/disk/r.html"), kPage);
}

}  // namespace
}  // namespace antifreeze::cli
