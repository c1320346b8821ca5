"""Builds the virtual machine's disk from Debian's packages into build/vm: base.qcow2, vmlinuz, initrd. About four minutes, once.

`python3 e2e/vm/image.py` builds by hand. Takes root and the network.
"""

import os
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CACHE = HERE.parent.parent / "build" / "vm"
SUITE = "bookworm"
PACKAGES = ["systemd-sysv", "udev", "dbus", "kmod", "procps", "iproute2", "util-linux", "bsdutils", "cron", "stress-ng", "earlyoom",
            "initramfs-tools", "lz4", "kexec-tools", "kdump-tools", "makedumpfile", "e2fsprogs", "zstd"]
# The machine has none of this hardware; the modules would make the image five times as large.
UNUSED = ["drivers/gpu", "drivers/net", "drivers/media", "drivers/infiniband", "drivers/iio", "drivers/staging", "drivers/usb", "drivers/isdn",
          "drivers/input", "drivers/hid", "drivers/mtd", "drivers/bluetooth", "sound", "net"]
TOOLS = ["debootstrap", "qemu-system-x86_64", "qemu-img", "mke2fs", "iasl", "make", "gcc"]


def why_not() -> str:
    """The reason why no machine can be made here, or an empty string."""
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
    if missing:
        return "not installed: " + ", ".join(missing)
    if os.geteuid() != 0 and not (CACHE / "base.qcow2").exists():
        return "building the image takes root"
    return ""


def _run(*command: str, **more) -> str:
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, timeout=1800, **more).stdout


def _kernel(root: pathlib.Path) -> str:
    """Unpacks the generic kernel (the cloud one has no i6300esb) and its headers; returns its release."""
    _run("chroot", str(root), "apt-get", "update", "-q")
    wanted = _run("chroot", str(root), "apt-cache", "depends", "linux-image-amd64")
    release = re.search(r"linux-image-(\S+-amd64)", wanted.split("Depends:", 1)[1]).group(1)
    common = release.replace("-amd64", "-common")
    kbuild = "linux-kbuild-" + ".".join(release.split(".")[:2])
    names = [f"linux-image-{release}", f"linux-headers-{release}", f"linux-headers-{common}", kbuild]
    _run("chroot", str(root), "sh", "-c", "cd /tmp && apt-get download -q " + " ".join(names))
    headers = CACHE / "headers"
    shutil.rmtree(headers, ignore_errors=True)
    for deb in (root / "tmp").glob("linux-*.deb"):
        into = root if deb.name.startswith("linux-image") else headers
        into.mkdir(exist_ok=True)
        # Not dpkg -x: it would put a folder in the place of the link /lib.
        _run("sh", "-c", 'dpkg-deb --fsys-tarfile "$0" | tar -x --keep-directory-symlink -C "$1"', str(deb), str(into))
        deb.unlink()
    for folder in UNUSED:
        shutil.rmtree(root / "lib/modules" / release / "kernel" / folder, ignore_errors=True)
    return release


def _module(root: pathlib.Path, release: str) -> None:
    """Builds the test module against the unpacked headers, whose Makefile names them by their installed path."""
    headers = CACHE / "headers"
    makefile = headers / f"usr/src/linux-headers-{release}/Makefile"
    makefile.write_text(makefile.read_text().replace("/usr/src/", f"{headers}/usr/src/"))
    work = CACHE / "module"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(HERE / "module", work)
    _run("make", "-s", "-C", str(makefile.parent), f"M={work}", "modules")
    into = root / "lib/modules" / release / "extra"
    into.mkdir(exist_ok=True)
    shutil.copy2(work / "nvidia_uvm.ko", into)


def _slim(root: pathlib.Path) -> None:
    for path in ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale", "usr/share/man", "usr/share/i18n"):
        shutil.rmtree(root / path, ignore_errors=True)
    (root / "var/cache/apt/archives/partial").mkdir(parents=True)


def _tables() -> None:
    for source in (HERE / "acpi").glob("*.asl"):
        _run("iasl", "-p", str(CACHE / source.stem), str(source), stderr=subprocess.STDOUT)


def build() -> pathlib.Path:
    """The folder with the image; builds it when it is not there. A build that was cut short leaves no base.qcow2."""
    if (CACHE / "base.qcow2").exists():
        return CACHE
    CACHE.mkdir(parents=True, exist_ok=True)
    root = CACHE / "rootfs"
    shutil.rmtree(root, ignore_errors=True)
    _run("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(root), stderr=subprocess.STDOUT,
         env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    release = _kernel(root)
    _module(root, release)
    shutil.copy2(HERE / "guest/collect", root / "usr/local/bin/collect")
    shutil.copy2(HERE / "guest/prepare.sh", root / "tmp/prepare.sh")
    _run("chroot", str(root), "/tmp/prepare.sh", release)
    (root / "tmp/prepare.sh").unlink()
    _slim(root)
    shutil.copy2(root / f"boot/vmlinuz-{release}", CACHE / "vmlinuz")
    shutil.copy2(root / f"boot/initrd.img-{release}", CACHE / "initrd")
    _tables()
    raw = CACHE / "base.raw"
    raw.unlink(missing_ok=True)
    _run("mke2fs", "-q", "-t", "ext4", "-d", str(root), str(raw), "3G")
    _run("qemu-img", "convert", "-O", "qcow2", str(raw), str(CACHE / "base.part"))
    raw.unlink()
    (CACHE / "base.part").rename(CACHE / "base.qcow2")
    shutil.rmtree(root)
    return CACHE


if __name__ == "__main__":
    reason = why_not()
    if reason:
        raise SystemExit(reason)
    print(build())
