// Puts together what the log, the disk and the next boot say about each boot.
#pragma once

#include <vector>

#include "autopsy/autopsy_types.h"
#include "autopsy/root_findings.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// Whether the lines of `tally` are about the boot before: signs that say so, and machine checks of a boot's first ten
/// seconds (arch/x86/kernel/cpu/mce/core.c: what the banks still hold is logged when the CPUs come up).
bool is_about_previous(const Tally& tally, const signs::Sign& sign);

/// What is said in one boot about the one before (BERT, recovery, reset reasons) is booked there; crash records go to
/// the boot whose messages they hold; boots that only wtmp knows are put in between; a capture kernel's boot is marked.
/// `observed` are in order, oldest first; so is what is returned.
std::vector<Boot> assemble(std::vector<Boot> observed, const RootFindings& root, const signs::Catalogue& catalogue);

}  // namespace antifreeze::autopsy
