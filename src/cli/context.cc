#include "cli/context.h"

#include "cli/exit_codes.h"

namespace antifreeze::cli {

std::optional<std::string> Context::variable(std::string_view name) const {
  return lookup == nullptr ? std::nullopt : lookup(name, lookup_context);
}

void Context::note(std::string_view line) const {
  if (!quiet && !json) out(std::string(line) + "\n");
}

int fail(const Context& context, const core::Error& error) {
  context.err("antifreeze: " + error.message() + "\n");
  return exit_code_of(error.code());
}

int fail_as(const Context& context, const core::Error& error, unsigned uid) {
  if (error.code() != core::ErrorCode::kPermission || uid == 0) return fail(context, error);
  return fail(context, {error.code(), error.message() + "; run as root", error.sys_errno()});
}

int usage_error(const Context& context, std::string_view what) {
  context.err("antifreeze: " + std::string(what) + "\n");
  return kExitUsage;
}

int exit_code_of(core::ErrorCode code) {
  switch (code) {
    case core::ErrorCode::kInvalid:
    case core::ErrorCode::kTampered:
      return kExitData;
    case core::ErrorCode::kNotFound:
      return kExitNoInput;
    case core::ErrorCode::kPermission:
      return kExitNoPermission;
    case core::ErrorCode::kUnsupported:
      return kExitUnavailable;
    case core::ErrorCode::kTimeout:
      return kExitTemporary;
    case core::ErrorCode::kFull:
      return kExitCantCreate;
    case core::ErrorCode::kSystem:
      break;
  }
  return kExitSystem;
}

}  // namespace antifreeze::cli
