// /proc/driver/nvidia/gpus/BDF/information: the GPUs of a host without asking NVML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antifreeze::readings {

/// A PCI address. GB10 sits in domain 0xF and some controllers use domains above 0xFFFF, so the domain has 32 bits.
struct Bdf {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  friend auto operator<=>(const Bdf&, const Bdf&) = default;
};

/// Reads "0000:01:00.0" and the 8-digit form "0000000F:01:00.0", in either case; nullopt on anything else.
std::optional<Bdf> parse_bdf(std::string_view text);

/// The kernel's spelling, "000f:01:00.0": four digits of domain at least, lower case.
std::string format_bdf(const Bdf& bdf);

/// One GPU as the driver lists it.
struct NvidiaGpu {
  std::optional<std::string> model;
  std::optional<std::string> uuid;  ///< "GPU-…"; absent while the driver prints question marks (never initialised)
  std::optional<Bdf> bdf;
  std::optional<std::uint32_t> minor;  ///< N of /dev/nvidiaN
  std::optional<bool> excluded;        ///< the driver was told to leave it alone
};

/// Reads one `information` file.
NvidiaGpu parse_nvidia_information(std::string_view text);

/// Whether `text` has the form "GPU-8-4-4-4-12" in hex digits.
bool is_gpu_uuid(std::string_view text);

}  // namespace antifreeze::readings
