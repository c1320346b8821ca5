#include "core/fd.h"

#include <unistd.h>

namespace antifreeze::core {

void Fd::reset() {
  if (fd_ >= 0) {
    const int kept = errno;
    ::close(fd_);
    errno = kept;
    fd_ = -1;
  }
}

}  // namespace antifreeze::core
