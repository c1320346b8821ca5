// The breaker's file, b-SERVICE: text, so that a person can read it, with a checksum, because containers can write it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "gate/breaker_types.h"

namespace antifreeze::gate {

inline constexpr std::size_t kBreakerFileBytes = 4096;
inline constexpr std::size_t kBreakerNameBytes = 2 + 64;
inline constexpr std::string_view kBreakerPrefix = "b-";

/// "b-" and the service's name: [A-Za-z0-9._-] stay, any other byte becomes %XX; what is then longer than 64 is cut and
/// ends in "%%" and 8 hex digits of the whole name's CRC32C ("%%" comes out of no other name).
std::string breaker_file_name(std::string_view service);

/// Whether breaker_file_name can have made `name`.
bool is_breaker_file_name(std::string_view name);

/// The file's content, at most kBreakerFileBytes; texts that are too long are cut.
std::string encode_breaker(const BreakerRecord& record);

/// Reads what encode_breaker wrote. Error kTampered on anything else (the caller goes on with an empty record and says
/// so); unknown keys are skipped, so that an older program can read a newer one's file.
core::Result<BreakerRecord> decode_breaker(std::string_view file);

/// Reads the record of `service` in gate directory `dirfd`. None there: an empty record. kTampered as decode_breaker,
/// and when it belongs to another service.
core::Result<BreakerRecord> load_breaker(int dirfd, std::string_view service);

/// Whether the record of `service` was written by us or by the owner of the gate directory; true when there is none.
/// Anybody may create files there, and a forged hold would keep a service down.
bool breaker_is_ours(int dirfd, std::string_view service);

/// Puts the record in place of the old one in one step. With `keep_owner` an existing file keeps its owner when we are
/// root, so that a reset from the host does not lock a container with another uid out. kPermission: the file is
/// somebody else's (the directory is sticky); kFull: the tmpfs is full. `sync` for a directory on disk.
core::Status store_breaker(int dirfd, const BreakerRecord& record, bool sync = false, bool keep_owner = false);

}  // namespace antifreeze::gate
