"""Mounts that are gone after the test, and locks as the gate takes them."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import struct
import subprocess

_libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, path: pathlib.Path, kind: str, options: str = "") -> None:
    argv = ["mount", "-t", kind, *(["-o", options] if options else []), source, str(path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)
    if done.returncode != 0:
        raise OSError(f"{argv}: {done.stderr}")


def unmount(path: pathlib.Path) -> None:
    _libc.umount2(str(path).encode(), 2)  # MNT_DETACH: whoever still uses it must not keep it


@contextlib.contextmanager
def tmpfs(path: pathlib.Path, options: str = "size=4m,nr_inodes=4096,mode=1777"):
    path.mkdir(parents=True, exist_ok=True)
    mount("tmpfs", path, "tmpfs", options)
    try:
        yield path
    finally:
        unmount(path)


def set_up_gate(path: pathlib.Path) -> None:
    """What `antifreeze gate setup` leaves in the host's directory, on a tmpfs that is mounted already."""
    files = (("gate.id", 0o444, os.urandom(16).hex() + "\n"), ("registry", 0o666, ""), ("log.jsonl", 0o666, ""))
    for name, mode, content in files:
        (path / name).write_text(content)
        (path / name).chmod(mode)


@contextlib.contextmanager
def ofd_lock(path: pathlib.Path, flags: int = os.O_RDWR):
    """Holds the write lock that the gate uses, on the whole file."""
    fd = os.open(path, flags)
    try:
        fcntl.fcntl(fd, fcntl.F_OFD_SETLKW, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
        yield fd
    finally:
        os.close(fd)


def is_locked(path: pathlib.Path) -> bool:
    fd = os.open(path, os.O_RDONLY)
    try:
        answer = fcntl.fcntl(fd, fcntl.F_OFD_GETLK, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0))
        return struct.unpack("hhqqi4x", answer)[0] != fcntl.F_UNLCK
    finally:
        os.close(fd)
