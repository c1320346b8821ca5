// A report for other people's eyes.
#pragma once

#include "autopsy/autopsy_run.h"
#include "redact/redactor.h"

namespace antifreeze::cli {

/// Redacts every text of `report` that a page, a table or JSON shows. Verdicts, ids, numbers and times stay; so do boot
/// ids, which are random and name no machine.
void redact_report(autopsy::Report& report, redact::Redactor& redactor);

}  // namespace antifreeze::cli
