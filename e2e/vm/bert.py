"""Writes a BERT table and the error block that it points to: one fatal DRAM error (UEFI 2.x appendix N, memory error section)."""

import pathlib
import struct
import uuid

ADDRESS = 0x1E000000  # where QEMU's loader device puts the block; the kernel's command line reserves 64 KiB there
LENGTH = 0x1000
MEMORY_SECTION = uuid.UUID("a5bc1114-6f64-4ede-b863-3e83ed7c83b1").bytes_le
STATUS, PHYSICAL_ADDRESS, NODE, CARD, MODULE, ERROR_TYPE = (1 << bit for bit in (0, 1, 3, 4, 5, 14))
STORAGE_ERROR_IN_DRAM = 0x40400
UNCORRECTABLE_AND_ONE_ENTRY = (1 << 0) | (1 << 4)
FATAL = 1


def _memory_section(module: int) -> bytes:
    section = bytearray(80)
    valid = STATUS | PHYSICAL_ADDRESS | NODE | CARD | MODULE | ERROR_TYPE
    struct.pack_into("<QQQQHHH", section, 0, valid, STORAGE_ERROR_IN_DRAM, 0x12345000, 0, 0, 4, module)
    section[72] = 3  # multi-bit ECC
    return bytes(section)


def block(dimm: bytes = b"DIMM Locate: P0H0", module: int = 0) -> bytes:
    """A generic error status block with one entry of revision 3.0."""
    section = _memory_section(module)
    entry = MEMORY_SECTION + struct.pack("<IHBBI", FATAL, 0x0300, 2, 0, len(section)) + bytes(16) + dimm.ljust(20, b"\0") + bytes(8) + section
    return struct.pack("<IIIII", UNCORRECTABLE_AND_ONE_ENTRY, 0, 0, len(entry), FATAL) + entry


def write(folder: pathlib.Path) -> None:
    """bert.dat (what follows the table's header) and bert-error.bin (what stands at its address)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bert-error.bin").write_bytes(block().ljust(LENGTH, b"\0"))
    (folder / "bert.dat").write_bytes(struct.pack("<IQ", LENGTH, ADDRESS))
