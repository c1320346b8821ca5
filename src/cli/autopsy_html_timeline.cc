// The last minutes of a boot as a picture: one lane for each kind of source, time before the last line to the right.
#include <algorithm>
#include <array>
#include <cmath>

#include "cli/autopsy_html_parts.h"
#include "cli/autopsy_words.h"
#include "cli/html_text.h"

namespace antifreeze::cli {
namespace {

using autopsy::TailLine;

constexpr double kWidth = 960;
constexpr double kLeft = 110;
constexpr double kRight = 940;
constexpr double kTop = 34;  // below the flag of the first abnormal event
constexpr double kLane = 30;
constexpr double kLeastSeconds = 10;
constexpr double kMostSeconds = 600;
constexpr double kFinest = 0.1;  // a tenth of a second and less share the right end

std::string number(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find('.') + 2);
}

class Picture {
 public:
  Picture(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang)
      : boot_(boot), catalogue_(catalogue), lang_(lang) {
    for (const TailLine& line : boot.boot.tail) {
      const auto before = seconds(line.mono, line.wall);
      if (!before) continue;
      oldest_ = std::max(oldest_, *before);
      const auto lane = std::ranges::find(kLanes, lane_of(line));
      used_[static_cast<std::size_t>(lane - kLanes.begin())] = true;
      any_ = true;
    }
    span_ = std::clamp(oldest_, kLeastSeconds, kMostSeconds);
  }

  std::string html() {
    if (!any_) return html_element("p", say(lang_, "html.no_stamps"), " class=\"quiet\"") + "\n";
    double y = kTop;
    std::string lanes;
    for (std::size_t i = 0; i < kLanes.size(); ++i) {
      if (!used_[i]) continue;
      lanes += lane(kLanes[i], y);
      y += kLane;
    }
    const std::string axis = say(lang_, "html.axis");
    std::string out = html_element("p", axis, " class=\"quiet\"");
    out += "\n<div class=\"wide\"><svg class=\"timeline\" role=\"img\" viewBox=\"0 0 " + number(kWidth) + " " +
           number(y + 24) + "\" aria-label=\"" + html_text(axis) + "\">\n";
    out += ticks(y) + lanes + first_event(y) + "</svg></div>\n";
    return out + key();
  }

 private:
  static constexpr std::array<std::string_view, 4> kLanes = {"kernel", "system", "service", "other"};

  [[nodiscard]] std::optional<double> seconds(std::optional<core::MonoTime> mono,
                                              std::optional<core::WallTime> wall) const {
    const auto ns = ns_before_end(boot_.boot, mono, wall);
    if (!ns) return std::nullopt;
    return static_cast<double>(*ns) / 1e9;
  }

  /// Logarithmic: what counts happens in the last seconds, and what led to it may be minutes away.
  [[nodiscard]] double x_of(double before) const {
    const double part = std::log1p(before / kFinest) / std::log1p(span_ / kFinest);
    return kRight - (kRight - kLeft) * std::clamp(part, 0.0, 1.0);
  }

  [[nodiscard]] std::string ticks(double bottom) const {
    std::string out;
    for (const double at : {0.0, 1.0, 10.0, 60.0, 600.0}) {
      if (at > span_) break;
      const std::string x = number(x_of(at));
      out += "<path class=\"grid\" d=\"M" + x + " " + number(kTop - 4) + "V" + number(bottom) + "\"></path>";
      const std::string words = at == 0   ? "0"
                                : at < 60 ? say(lang_, "page.seconds", {std::to_string(std::lround(at))})
                                          : say(lang_, "page.minutes", {std::to_string(std::lround(at / 60))});
      out += "<text class=\"tick\" x=\"" + x + "\" y=\"" + number(bottom + 16) + "\" text-anchor=\"middle\">" +
             html_text(words) + "</text>\n";
    }
    return out;
  }

  /// Ordinary lines are one path of short strokes; each line with a sign is a dot that says what it is.
  [[nodiscard]] std::string lane(std::string_view name, double y) const {
    const double middle = y + kLane / 2;
    std::string strokes;
    std::string dots;
    for (const TailLine& line : boot_.boot.tail) {
      const auto before = seconds(line.mono, line.wall);
      if (lane_of(line) != name || !before || *before > span_) continue;
      const std::string x = number(x_of(*before));
      const std::string_view mark = mark_of(line, catalogue_);
      if (mark.empty()) {
        strokes += "M" + x + " " + number(middle - 5) + "v10";
        continue;
      }
      dots += "<circle class=\"m-" + std::string(mark) + "\" cx=\"" + x + "\" cy=\"" + number(middle) + "\" r=\"" +
              (mark == "error" ? "6" : "4") + "\"><title>" +
              html_text(before_words(lang_, std::llround(*before * 1e9)) + ": " + line.text) + "</title></circle>\n";
    }
    std::string out = "<path class=\"rail\" d=\"M" + number(kLeft) + " " + number(middle) + "H" + number(kRight) +
                      "\"></path><text class=\"lane\" x=\"" + number(kLeft - 10) + "\" y=\"" + number(middle + 4) +
                      "\" text-anchor=\"end\">" + html_text(say(lang_, "html.lane." + std::string(name))) + "</text>\n";
    if (!strokes.empty()) out += "<path class=\"m-line\" d=\"" + strokes + "\"></path>\n";
    return out + dots;
  }

  [[nodiscard]] std::string first_event(double bottom) const {
    if (boot_.verdict.causes.empty()) return "";
    const autopsy::Hit& first = boot_.verdict.causes.front().first_event;
    const auto before = seconds(first.mono, first.wall);
    if (!before || first.line.empty()) return "";
    const double x = x_of(*before);
    const bool right_half = x > (kLeft + kRight) / 2;
    const std::string words = (*before > span_ ? "◀ " : "") +
                              say(lang_, "html.first_event_at", {before_words(lang_, std::llround(*before * 1e9))});
    return "<g class=\"first\"><path d=\"M" + number(x) + " 8V" + number(bottom) + "\"></path><text x=\"" +
           number(right_half ? x - 8 : x + 8) + "\" y=\"18\" text-anchor=\"" + (right_half ? "end" : "start") + "\">" +
           html_text(words) + "</text><title>" + html_text(first.line) + "</title></g>\n";
  }

  [[nodiscard]] std::string key() const {
    std::string out = "<ul class=\"key\">\n";
    for (const std::string_view mark : {"line", "note", "warning", "error"}) {
      out += "<li><span class=\"dot d-" + std::string(mark) + "\"></span> " +
             html_text(say(lang_, "html.key." + std::string(mark))) + "</li>\n";
    }
    return out + "</ul>\n";
  }

  const autopsy::BootReport& boot_;
  const signs::Catalogue& catalogue_;
  const Lang lang_;
  std::array<bool, kLanes.size()> used_{};
  double oldest_ = 0;
  double span_ = kLeastSeconds;
  bool any_ = false;
};

}  // namespace

std::string boot_timeline(const autopsy::BootReport& boot, const signs::Catalogue& catalogue, Lang lang) {
  return Picture(boot, catalogue, lang).html();
}

}  // namespace antifreeze::cli
