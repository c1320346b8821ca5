#include "cli/redact_report.h"

namespace antifreeze::cli {
namespace {

using autopsy::Boot;
using autopsy::Verdict;

class Pass {
 public:
  explicit Pass(redact::Redactor& redactor) : redactor_(redactor) {}

  void over(autopsy::Report& report) {
    for (autopsy::BootReport& boot : report.boots) {
      over(boot.boot);
      over(boot.verdict);
    }
    each(report.cannot_read);
  }

 private:
  void over(std::string& text) { text = redactor_.text(text); }
  void each(std::vector<std::string>& texts) {
    for (std::string& text : texts) over(text);
  }
  void each(std::map<std::string, std::string>& fields) {
    for (auto& [name, value] : fields) over(value);
  }
  void over(autopsy::Hit& hit) {
    over(hit.line);
    each(hit.fields);
  }

  void over(Boot& boot) {
    for (autopsy::Tally& tally : boot.tallies) {
      for (autopsy::Hit& hit : tally.first) over(hit);
      for (autopsy::Hit& hit : tally.last) over(hit);
    }
    for (autopsy::Evidence& evidence : boot.evidence) {
      over(evidence.line);
      each(evidence.fields);
    }
    for (autopsy::TailLine& line : boot.tail) {
      over(line.identifier);
      over(line.text);
    }
    each(boot.blind);
  }

  void over(Verdict& verdict) {
    for (autopsy::Cause& cause : verdict.causes) {
      over(cause.first_event);
      each(cause.fields);
      each(cause.supports);
      each(cause.contradicts);
    }
    for (autopsy::Note& note : verdict.notes) over(note.line);
    for (autopsy::SplitTest& test : verdict.tests) over(test.text);
    each(verdict.unknown);
    each(verdict.starting);
  }

  redact::Redactor& redactor_;
};

}  // namespace

void redact_report(autopsy::Report& report, redact::Redactor& redactor) { Pass(redactor).over(report); }

}  // namespace antifreeze::cli
