#include "fakevllm/ledger.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fakevllm/meminfo.h"

namespace antifreeze::fakevllm {
namespace {

using core::Fd;

core::Status write_image(int fd, const LedgerImage& image) {
  std::string bytes(sizeof(LedgerHeader) + image.records.size() * sizeof(LedgerRecord), '\0');
  LedgerHeader header = image.header;
  header.records = image.records.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (!image.records.empty()) {
    std::memcpy(bytes.data() + sizeof(header), image.records.data(), image.records.size() * sizeof(LedgerRecord));
  }
  // One write, so that SIGKILL cannot leave the header of one state with the records of another.
  if (pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return core::errno_error("writing the ledger", errno);
  }
  return {};
}

core::Result<LedgerImage> read_image(int fd) {
  LedgerImage image;
  const LedgerHeader expected;
  if (pread(fd, &image.header, sizeof(LedgerHeader), 0) != static_cast<ssize_t>(sizeof(LedgerHeader)) ||
      image.header.magic != expected.magic || image.header.records > 65'536) {
    return core::Error(core::ErrorCode::kInvalid, "the file is no fakevllm ledger");
  }
  image.records.resize(image.header.records);
  const auto size = static_cast<ssize_t>(image.records.size() * sizeof(LedgerRecord));
  if (pread(fd, image.records.data(), static_cast<std::size_t>(size), sizeof(LedgerHeader)) != size) {
    return core::Error(core::ErrorCode::kInvalid, "the ledger is shorter than it says");
  }
  return image;
}

/// Any uid of any container may share the directory, so nothing may depend on the umask.
core::Result<Fd> open_shared(const std::string& path, int flags) {
  Fd fd(open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!fd.valid()) return core::errno_error("opening " + path, errno);
  if ((flags & O_CREAT) != 0) (void)fchmod(fd.get(), 0666);
  return fd;
}

struct flock byte_lock(short type, std::uint64_t life) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(life);
  lock.l_len = 1;
  return lock;
}

}  // namespace

std::string device_file(const std::string& dir, int index, std::string_view suffix) {
  return dir + "/gpu" + std::to_string(index) + std::string(suffix);
}

core::Status Ledger::create(const std::string& dir, int index, const LedgerHeader& header) {
  (void)mkdir(dir.c_str(), 0777);
  const std::string path = device_file(dir, index, ".ledger");
  const std::string fresh = path + "." + std::to_string(getpid());
  auto fd = open_shared(fresh, O_RDWR | O_CREAT | O_TRUNC);
  if (!fd) return std::move(fd).error();
  LedgerImage image;
  image.header = header;
  image.reclaim_cache();
  if (auto status = write_image(fd->get(), image); !status) return status;
  if (index == 0) (void)write_meminfo(dir, image);
  if (rename(fresh.c_str(), path.c_str()) != 0) return core::errno_error("renaming " + fresh, errno);
  return {};
}

core::Result<Ledger> Ledger::open(const std::string& dir, int index, const LedgerHeader& defaults) {
  (void)mkdir(dir.c_str(), 0777);
  // Several servers may be the first at once: the creation itself needs a lock, on a file that is never replaced.
  auto live = open_shared(device_file(dir, index, ".live"), O_RDWR | O_CREAT);
  if (!live) return std::move(live).error();
  if (core::retry_eintr([&] { return flock(live->get(), LOCK_EX); }) != 0) {
    return core::errno_error("locking " + dir, errno);
  }
  if (access(device_file(dir, index, ".ledger").c_str(), F_OK) != 0) {
    if (auto status = create(dir, index, defaults); !status) return std::move(status).error();
  }
  (void)flock(live->get(), LOCK_UN);
  return Ledger(dir, index, std::move(*live));
}

core::Result<LockedLedger> Ledger::lock() const {
  const std::string path = device_file(dir_, index_, ".ledger");
  for (;;) {
    auto fd = open_shared(path, O_RDWR);
    if (!fd) return std::move(fd).error();
    if (core::retry_eintr([&] { return flock(fd->get(), LOCK_EX); }) != 0) {
      return core::errno_error("locking " + path, errno);
    }
    struct stat held{};
    struct stat named{};
    // `device init` may have replaced the file while we waited for the old one.
    if (fstat(fd->get(), &held) != 0 || stat(path.c_str(), &named) != 0 || held.st_ino != named.st_ino) continue;
    auto image = read_image(fd->get());
    if (!image) return std::move(image).error().with_context(path);
    LockedLedger locked(*this, std::move(*fd));
    locked.image = std::move(*image);
    locked.swept_ = sweep(locked);
    return locked;
  }
}

core::Status LockedLedger::commit(bool changed) {
  core::Status status;
  if (changed || swept_) {
    ++image.header.seq;
    status = write_image(fd_.get(), image);
    if (status && ledger_->index() == 0) status = write_meminfo(ledger_->dir(), image);
  }
  for (const auto& line : lines_) ledger_->journal().append(line);
  lines_.clear();
  swept_ = false;
  return status;
}

bool Ledger::alive(std::uint64_t life) const {
  auto lock = byte_lock(F_WRLCK, life);
  return fcntl(live_.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool Ledger::sweep(LockedLedger& locked) const {
  auto& image = locked.image;
  const std::int64_t now = boot_now_ns();
  bool changed = false;
  for (std::size_t i = 0; i < image.records.size();) {
    auto& record = image.records[i];
    if (record.dying == 0 && !alive(record.life)) {
      record.dying = 1;
      record.died_boot_ns = now;
      changed = true;
    }
    if (record.dying == 0 || now < record.died_boot_ns + image.header.release_lag_ns) {
      ++i;
      continue;
    }
    const LedgerRecord gone = record;
    image.records.erase(image.records.begin() + static_cast<std::ptrdiff_t>(i));
    auto line = journal_line({gone.service.data(), gone.tag.data()}, "freed");
    line.json.add("dead_pid", static_cast<std::int64_t>(gone.pid))
        .add("dead_pidns", gone.pid_namespace)
        .add("bytes", gone.torch + gone.non_torch)
        .add("free", image.free_bytes(image.header.count_cache != 0))
        .add("self", 0);
    locked.note(std::move(line));
    changed = true;
  }
  return changed;
}

bool Ledger::needs_sweep() const {
  auto fd = open_shared(device_file(dir_, index_, ".ledger"), O_RDONLY);
  if (!fd) return false;
  const auto image = read_image(fd->get());
  if (!image) return false;
  const std::int64_t now = boot_now_ns();
  for (const auto& record : image->records) {
    if (record.dying == 0 ? !alive(record.life) : now >= record.died_boot_ns + image->header.release_lag_ns) {
      return true;
    }
  }
  return false;
}

core::Result<Fd> Ledger::hold_life(std::uint64_t life) const {
  // A description of its own: an OFD lock ends with the last copy of it, and this process makes no copy.
  auto fd = open_shared(device_file(dir_, index_, ".live"), O_RDWR);
  if (!fd) return fd;
  auto lock = byte_lock(F_WRLCK, life);
  if (fcntl(fd->get(), F_OFD_SETLK, &lock) != 0) return core::errno_error("locking a life byte", errno);
  return fd;
}

void Ledger::kernel_message(std::string_view text) const {
  auto fd = open_shared(dir_ + "/kmsg", O_WRONLY | O_APPEND | O_CREAT);
  if (!fd) return;
  struct stat file{};
  (void)fstat(fd->get(), &file);
  // "priority and facility,sequence,microseconds,flags;text", as /dev/kmsg gives it.
  const std::string line = "4," + std::to_string(file.st_size) + "," + std::to_string(mono_now_ns() / 1000) + ",-;" +
                           std::string(text) + "\n";
  (void)!write(fd->get(), line.data(), line.size());
}

int find_device(const std::string& dir, std::string_view uuid) {
  for (int index = 0; index < 64; ++index) {
    auto fd = open_shared(device_file(dir, index, ".ledger"), O_RDONLY);
    if (!fd) continue;
    const auto image = read_image(fd->get());
    if (image && std::string_view(image->header.uuid.data()) == uuid) return index;
  }
  return -1;
}

}  // namespace antifreeze::fakevllm
