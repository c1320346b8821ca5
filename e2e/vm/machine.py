"""One virtual machine on software emulation: started, driven through a shell on its second serial line, cut, and looked at."""

import dataclasses
import pathlib
import re
import socket
import subprocess
import time

import image

PROMPT = r"@@# "
# Loading modules takes most of a boot's time on software emulation: those that nothing here needs are left out.
UNUSED = "powernow_k8,acpi_cpufreq,floppy,psmouse,i2c_piix4,ata_piix,ata_generic,pcspkr,evdev,mousedev,joydev,serio_raw,intel_agp,configfs,fuse,drm,loop"
APPEND = ("root=/dev/vda rw console=ttyS0,115200 mitigations=off net.ifnames=0 audit=0 panic=3 modprobe.blacklist=" + UNUSED
          + "".join(f" systemd.mask=modprobe@{name}.service" for name in ("drm", "loop", "dm_mod", "fuse", "configfs")))


class Broken(Exception):
    """The machine did not do what the script expects; the text says what."""


@dataclasses.dataclass
class Boot:
    """What one power-on adds to the ordinary machine."""

    sync: int | None = 2  # journald's SyncIntervalSec; None: the default of five minutes
    append: str = ""
    memory: int = 640  # MiB
    cpus: int = 1
    tables: tuple[str, ...] = ()  # names of acpi/*.asl
    extra: tuple[str, ...] = ()  # arguments for QEMU
    rtc: str = "utc"


class Machine:
    """A disk of its own over the base image, and an ERST that outlives a power cut, as flash memory does."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.base = image.build()
        folder.mkdir(parents=True, exist_ok=True)
        self.disk, self.out, self.console = folder / "disk.qcow2", folder / "out.raw", folder / "console.log"
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", str(self.base / "base.qcow2"), str(self.disk)],
                       check=True)
        for path, size in ((self.out, 64 << 20), (folder / "data.raw", 64 << 20), (folder / "erst", 64 << 10)):
            with open(path, "wb") as file:
                file.truncate(size)
        self.process: subprocess.Popen | None = None
        self.shell: socket.socket | None = None
        self.text = ""

    def _arguments(self, boot: Boot) -> list[str]:
        sync = f" af.sync={boot.sync}" if boot.sync else ""
        f = self.folder
        drives = [(self.disk, "qcow2", "writeback"), (self.out, "raw", "unsafe"), (f / "data.raw", "raw", "writeback")]
        made = ["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "qemu64", "-smp", str(boot.cpus), "-m", str(boot.memory), "-display", "none",
                "-nodefaults", "-no-user-config", "-rtc", f"base={boot.rtc}", "-device", "virtio-rng-pci",
                "-kernel", str(self.base / "vmlinuz"), "-initrd", str(self.base / "initrd"), "-append", f"{APPEND}{sync} {boot.append}",
                "-device", "i6300esb", "-action", "watchdog=reset",
                "-object", f"memory-backend-file,id=erst,mem-path={f / 'erst'},size=0x10000,share=on", "-device", "acpi-erst,memdev=erst",
                "-chardev", f"file,id=c0,path={self.console},append=on", "-serial", "chardev:c0",
                "-chardev", f"socket,id=c1,path={f / 'shell'},server=on,wait=off", "-serial", "chardev:c1",
                "-chardev", f"socket,id=m0,path={f / 'monitor'},server=on,wait=off", "-mon", "chardev=m0,mode=readline"]
        for number, (path, kind, cache) in enumerate(drives):
            made += ["-drive", f"file={path},id=disk{number},if=none,format={kind},cache={cache}",
                     "-device", f"virtio-blk-pci,drive=disk{number},id=vd{number}"]
        for name in boot.tables:
            made += ["-acpitable", f"file={self.base / name}.aml"]
        return made + list(boot.extra)

    def power_on(self, boot: Boot | None = None) -> None:
        """Starts the machine; `ready` waits for its shell."""
        if self.process and self.process.poll() is None:
            raise Broken("it is on already")
        for name in ("shell", "monitor"):
            (self.folder / name).unlink(missing_ok=True)
        with open(self.folder / "qemu.out", "ab") as log:
            self.process = subprocess.Popen(["nice", "-n", "15", *self._arguments(boot or Boot())], stdout=log, stderr=subprocess.STDOUT)
        self.text = ""
        deadline = time.monotonic() + 20
        while True:
            self.shell = socket.socket(socket.AF_UNIX)
            try:
                self.shell.connect(str(self.folder / "shell"))
                break
            except OSError as why:
                self.shell.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise Broken(f"QEMU did not start: {(self.folder / 'qemu.out').read_text()[-500:]}") from why
                time.sleep(0.05)
        self.shell.settimeout(0.2)

    def _read(self) -> None:
        try:
            self.text += self.shell.recv(65536).decode("utf-8", "replace").replace("\r", "")
        except TimeoutError:
            pass
        except OSError:
            time.sleep(0.1)

    def wait(self, pattern: str, seconds: float) -> str:
        """The shell's output up to the pattern."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.search(pattern, self.text)
            if found:
                before, self.text = self.text[:found.end()], self.text[found.end():]
                return before
            if self.process.poll() is not None:
                break
            self._read()
        raise Broken(f"no {pattern!r} within {seconds:g} s; the shell said {self.text[-300:]!r}")

    def ready(self, seconds: float = 600) -> str:
        """Waits for the shell; returns the id of this boot."""
        self.wait(r"automatic login[\s\S]*?" + PROMPT, seconds)  # a prompt alone may be the last one of the boot before
        self.boot_id = self.run("cat /proc/sys/kernel/random/boot_id").strip().replace("-", "")
        return self.boot_id

    def send(self, command: str) -> None:
        """Types a command and does not wait for its end."""
        self.text = ""
        self.shell.sendall((command + "\n").encode())

    def run(self, command: str, seconds: float = 60) -> str:
        self.send(command)
        return self.wait(PROMPT, seconds)[:-len("@@# ")]

    def monitor(self, command: str) -> None:
        """One command for QEMU itself: nmi, mce, system_reset, stop, cont …"""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect(str(self.folder / "monitor"))
            line.recv(4096)
            line.sendall((command + "\n").encode())
            time.sleep(0.3)
            line.recv(4096)

    def console_size(self) -> int:
        return self.console.stat().st_size if self.console.exists() else 0

    def wait_console(self, pattern: str, seconds: float, since: int = 0) -> None:
        """Waits until the kernel's console, from byte `since` on, shows the pattern."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.console.exists():
                with open(self.console, "rb") as file:
                    file.seek(since)
                    if re.search(pattern, file.read().decode("utf-8", "replace")):
                        return
            time.sleep(0.2)
        raise Broken(f"no {pattern!r} on the console within {seconds:g} s")

    def cut(self) -> None:
        """Cuts the power: what the guest had not written is gone."""
        self.process.kill()
        self.process.wait()

    def off(self, seconds: float = 120) -> None:
        """Waits until the machine has switched itself off."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired as why:
            raise Broken(f"still on after {seconds:g} s") from why

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.cut()
        if self.shell:
            self.shell.close()
