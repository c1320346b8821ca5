// The verbs that verb_*.cc define.
#pragma once

#include "cli/command.h"

namespace antifreeze::cli {

extern const Command kAutopsyVerb;
extern const Command kExplainVerb;
extern const Command kRunVerb;
extern const Command kGateStatusVerb;
extern const Command kGateLogVerb;
extern const Command kGateResetVerb;
extern const Command kGatePauseVerb;
extern const Command kGateResumeVerb;
extern const Command kGateSetupVerb;
extern const Command kGateKeepVerb;
extern const Command kRuntimeInstallVerb;
extern const Command kRuntimeStatusVerb;
extern const Command kRuntimeRemoveVerb;
extern const Command kCompletionVerb;
extern const Command kVersionVerb;
extern const Command kHelpVerb;

}  // namespace antifreeze::cli
