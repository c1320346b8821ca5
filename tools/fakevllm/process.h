// Small things about this process: names, signals, descriptors, output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace antifreeze::fakevllm {

/// Where the kernel keeps argv and the environment, for setproctitle.
class TitleArea {
 public:
  TitleArea() = default;
  /// Remembers the area and moves the environment out of it, as py-setproctitle does.
  TitleArea(int argc, char** argv);
  /// Sets comm (first 15 bytes) and the command line. Unless `keep_environ`, the rest of the area is zeroed, so
  /// /proc/PID/environ reads empty: that is what py-setproctitle 1.x does to vLLM's processes (src/spt_status.c).
  void set(std::string_view title, bool keep_environ) const;

 private:
  char* begin_ = nullptr;
  char* argv_end_ = nullptr;
  char* area_end_ = nullptr;
};

/// Sets comm only.
void set_comm(std::string_view name);
/// Inode of this process's PID namespace, 0 where /proc does not say.
std::uint64_t pid_namespace();
/// Field 22 of /proc/self/stat, 0 where /proc does not say.
std::uint64_t start_time();
/// Closes every descriptor above 2 but `keep`.
void close_descriptors(int keep = -1);
/// One line to stdout or stderr; a reader that went away is no error.
void say(std::string_view line);
void say_error(std::string_view line);
/// Blocks TERM, INT (and CHLD) and returns a signalfd for them, -1 on failure. `ignore_term` ignores the first two.
int make_signal_fd(bool with_child, bool ignore_term);
/// Next pending signal of a signalfd, 0 when there is none.
int next_signal(int signal_fd);
/// Blocks for ever with every signal blocked: a stand-in for a process in D state. SIGKILL still works.
[[noreturn]] void block_for_ever();
/// Dies by that signal with its default action, without a core file.
[[noreturn]] void die_by_signal(int signal);
/// "SEGV", "SIGSEGV" or "11"; 0 when it is none that is known.
int signal_number(std::string_view name);

}  // namespace antifreeze::fakevllm
