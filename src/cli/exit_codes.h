// Exit codes of the command line tool: 0, 1, 2 as everywhere, and sysexits(3) for what went wrong outside of it.
#pragma once

#include "core/result.h"

namespace antifreeze::cli {

inline constexpr int kExitFine = 0;
inline constexpr int kExitFindings = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitData = 65;          ///< EX_DATAERR: a file is not what it should be
inline constexpr int kExitNoInput = 66;       ///< EX_NOINPUT: it does not exist
inline constexpr int kExitUnavailable = 69;   ///< EX_UNAVAILABLE: this machine or file system cannot do it
inline constexpr int kExitSoftware = 70;      ///< EX_SOFTWARE: a bug of ours
inline constexpr int kExitSystem = 71;        ///< EX_OSERR: a system call failed
inline constexpr int kExitCantCreate = 73;    ///< EX_CANTCREAT: no space left
inline constexpr int kExitTemporary = 75;     ///< EX_TEMPFAIL: try again
inline constexpr int kExitNoPermission = 77;  ///< EX_NOPERM: not permitted

/// The exit code for a kind of failure.
int exit_code_of(core::ErrorCode code);

}  // namespace antifreeze::cli
