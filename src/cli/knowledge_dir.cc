#include "cli/knowledge_dir.h"

#include <fcntl.h>

#include <string>

#include "host/dir.h"
#include "host/identity.h"

namespace antifreeze::cli {

core::Result<signs::Catalogue> load_knowledge(const Context& context) {
  if (const auto named = context.variable("ANTIFREEZE_KNOWLEDGE"); named && !named->empty()) {
    return signs::load_catalogue(*named);
  }
  if (const auto program = host::program_directory()) {
    // build/bin and build/arm64/bin of a checkout.
    for (const char* up : {"/../../knowledge", "/../../../knowledge"}) {
      if (host::open_dir(AT_FDCWD, *program + up + "/signs")) return signs::load_catalogue(*program + up);
    }
  }
  return signs::load_catalogue("/usr/lib/antifreeze/knowledge");
}

}  // namespace antifreeze::cli
