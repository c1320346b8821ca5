// Where knowledge/ lies.
#pragma once

#include "cli/context.h"
#include "core/result.h"
#include "signs/catalogue.h"

namespace antifreeze::cli {

/// Loads from $ANTIFREEZE_KNOWLEDGE, else from the checkout that the program was built in, else from
/// /usr/lib/antifreeze/knowledge.
core::Result<signs::Catalogue> load_knowledge(const Context& context);

}  // namespace antifreeze::cli
