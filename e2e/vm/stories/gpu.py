"""Endings around GPUs. There is none in the machine: lines of the driver are printed by the test module, hangs are real ones."""

import time

from machine import Boot, Machine
from story import Act, cut, kernel, let_write, power_off, reset

LINES = "lines of the NVIDIA driver were printed through printk by the test module; the rest is real"
NO_MEMORY = ("NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) "
             "returned from _memdescAllocInternal(pMemDesc) @ mem_desc.c:1359")
IOVA = "NVRM: GPU0 _iovaspaceCreateMappingDataFromMemDesc: failed to allocate 0x200010 bytes for IOVA mapping metadata"
UNIT = """[Unit]
Description=vLLM server {name}
[Service]
ExecStart=/bin/bash -c 'echo "INFO {name}: Loading model weights"; sleep 2; echo "INFO {name}: Available KV cache memory: 21.4 GiB"; sleep 600'
Restart=always
"""
NAMES = ("vllm-a", "vllm-b", "vllm-c", "vllm-d")


def _servers(machine: Machine) -> None:
    """Four servers that a stand-in for dockerd starts all at once, as a restart of dockerd does."""
    for name in NAMES:
        text = UNIT.format(name=name).replace("'", "'\\''")
        machine.run(f"printf '%s' '{text}' >/etc/systemd/system/{name}.service")
    start = "; ".join(f"echo time=now level=info msg=\\\"Loading containers: start container {n}\\\"" for n in NAMES)
    machine.run("printf '[Unit]\\nDescription=Docker Application Container Engine\\nWants=" + " ".join(f"{n}.service" for n in NAMES)
                + "\\n[Service]\\nType=notify\\nNotifyAccess=all\\nSyslogIdentifier=dockerd\\nExecStart=/bin/bash -c '\\''" + start
                + "; systemd-notify --ready; sleep 9999'\\''\\n' >/etc/systemd/system/docker.service; systemctl daemon-reload")


def _burst(machine: Machine) -> None:
    _servers(machine)
    machine.run("systemctl start docker", 90)
    let_write(machine, 5)
    machine.run("systemctl stop docker vllm-a vllm-b vllm-c vllm-d", 60)
    machine.run("systemctl start docker", 90)
    for _ in range(9):
        kernel(machine, NO_MEMORY, NO_MEMORY)
    kernel(machine, IOVA, NO_MEMORY)
    let_write(machine, 12)  # after 4 s none of it had reached the journal
    cut(machine)


def _few(machine: Machine) -> None:
    """The same start on the same host in a boot that ends well: three of the lines."""
    _servers(machine)
    machine.run("systemctl start docker", 90)
    kernel(machine, NO_MEMORY, NO_MEMORY, NO_MEMORY)
    let_write(machine, 8)
    power_off(machine)


def _bus(machine: Machine) -> None:
    kernel(machine, "NVRM: GPU at PCI:0000:01:00: GPU-5d2f0c1a-7e3b-4b6e-9a55-0d3c8f2b7e10",
           "NVRM: Xid (PCI:0000:01:00): 79, pid=1874, name=VLLM::EngineCor, GPU has fallen off the bus.",
           "NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.",
           "NVRM: nvAssertOkFailedNoLog: Assertion failed: GPU lost from the bus [NV_ERR_GPU_IS_LOST] (0x0000000F) returned from status "
           "@ gpu_user_shared_data.c:300",
           "NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)")
    let_write(machine)
    cut(machine)


def _gsp(machine: Machine) -> None:
    for sequence in (412, 413, 414):
        kernel(machine, "NVRM: Xid (PCI:0000:01:00): 119, pid=1874, name=VLLM::EngineCor, Timeout after 45s of waiting for RPC response from GPU0 "
               f"GSP! Expected function 76 (GSP_RM_CONTROL) sequence {sequence} (0x20800a4c 0x0).", pause=1)
    kernel(machine, "NVRM: GPU0 _kgspRpcRecvPoll: GSP RM heartbeat timed out", "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x62:0x65:1914)")
    let_write(machine)
    cut(machine)


def _pmu(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.hung_task_timeout_secs=8 kernel.hung_task_check_interval_secs=4")
    let_write(machine, 4)
    for gpu, bus in ((0, "17"), (1, "65")):
        kernel(machine, f"NVRM: Xid (PCI:0000:{bus}:00): 62, pid=2210, name=VLLM::EngineCor, 00000000 00000000 00000000 00000000 00000000",
               f"NVRM: GPU{gpu} _kgspRpcGspEventPmuHalted: Received signal from GSP that PMU has halted",
               f"NVRM: Xid (PCI:0000:{bus}:00): 45, pid=2210, name=VLLM::EngineCor, Ch 00000008")
    since = machine.console_size()
    machine.send("(exec 9>/dev/nvidia-uvm; echo hang >&9; exec 9>&-) & echo away")
    machine.wait_console(r"blocked for more than \d+ seconds", 90, since)
    time.sleep(12)
    reset(machine)
    cut(machine)  # the firmware of the next power-on has nothing more to report


def _hung(machine: Machine) -> None:
    machine.run("sysctl -qw kernel.hung_task_timeout_secs=8 kernel.hung_task_check_interval_secs=4")
    since = machine.console_size()
    machine.send("(exec 9>/dev/nvidia-uvm; echo hang >&9; exec 9>&-) & echo away")
    machine.wait_console(r"blocked for more than \d+ seconds", 90, since)
    time.sleep(20)
    reset(machine)


def _nvlink(machine: Machine) -> None:
    kernel(machine, "nvidia-nvswitch2: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 27 LTSSM Fault Up",
           "nvidia-nvswitch2: SXid (PCI:0000:c1:00.0): 20034, Severity 1 Engine instance 27 Sub-engine instance 00",
           "NVRM: Xid (PCI:0000:17:00): 74, pid=2210, name=VLLM::EngineCor, NVLink: fatal error detected on link 4(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)")
    let_write(machine)
    cut(machine)


def _aer(machine: Machine) -> None:
    kernel(machine, "pcieport 0000:00:02.0: AER: Uncorrectable (Fatal) error message received from 0000:02:00.0",
           "mlx5_core 0000:02:00.0: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer, (Requester ID)",
           "mlx5_core 0000:02:00.0:   device [15b3:1021] error status/mask=00004000/00000000",
           "mlx5_core 0000:02:00.0:    [14] CmpltTO                (First)",
           "pcieport 0000:00:02.0: AER: device recovery failed")
    let_write(machine)
    cut(machine)


STARTS = [
    Act("healthy-nv-no-memory", "four servers start at once, three NV_ERR_NO_MEMORY lines, they run; powered off in order", "clean", _few, synthetic=LINES),
    Act("nv-no-memory-burst-then-cut", "a restart of dockerd starts four servers at once, a burst of NV_ERR_NO_MEMORY, power cut 12 s later; "
        "the boot before had three such lines and ended well", "memory_wedge", _burst, causes=["startup_collision", "nv_no_memory"],
        synthetic=LINES + "; dockerd and the servers are stand-ins under systemd"),
]
LOST = [
    Act("xid79-then-cut", "GPU fallen off the bus, power cut 6 s later", "gpu_lost", _bus, accept=["gpu_error"], causes=["gpu_off_bus", "xid"],
        synthetic=LINES),
    Act("gsp-timeout-then-cut", "three GSP RPC timeouts (Xid 119), heartbeat lost, power cut 6 s later", "driver_wedge", _gsp, accept=["gpu_error"],
        causes=["gsp_hang", "xid"], synthetic=LINES),
    Act("hung-uvm-then-reset", "a task hangs in uvm_va_space_destroy; reset button after three reports", "driver_wedge", _hung, causes=["hung_task"],
        reboots=True),
    Act("nvswitch-sxid-then-cut", "fatal SXid of an NVSwitch and Xid 74, power cut 6 s later", "nvlink", _nvlink, accept=["gpu_error"],
        causes=["sxid", "xid"], synthetic=LINES),
    Act("pcie-fatal-then-cut", "fatal AER of a network card, recovery failed, power cut 6 s later", "pcie", _aer, causes=["pcie_fatal"],
        synthetic="AER lines printed by the test module"),
]
STORIES = {"starts": STARTS, "lost": LOST}
BERT = ("a BERT table with a DRAM record was given to the firmware of the boot after; " + LINES)


def bert_arguments(folder) -> tuple[str, ...]:
    """A firmware that reports one DRAM error of the boot before."""
    return ("-acpitable", f"sig=BERT,data={folder / 'bert.dat'}", "-device",
            f"loader,file={folder / 'bert-error.bin'},addr=0x1e000000,force-raw=on")


def _dram_story() -> list[Act]:
    import bert
    from image import CACHE
    bert.write(CACHE)
    reported = Boot(append="memmap=64K$0x1e000000", extra=bert_arguments(CACHE))
    return [
        Act("bert-dram-of-earlier-boot", "power cut without a word; the firmware of the next boot reports a DRAM error in BERT", "memory_hardware",
            lambda machine: (let_write(machine, 8), cut(machine)), causes=["bert", "hw_memory_error"], after=reported,
            synthetic="the BERT record was written by the test"),
        Act("xid62-hung-uvm-after-bert", "starts with the BERT record of the boot before; Xid 62 on two GPUs, a task hung in uvm_va_space_destroy, "
            "reset button", "driver_wedge", _pmu, accept=["gpu_error"],
            causes=["xid", "hung_task"], synthetic=BERT, boot=reported, after=Boot(),
            notes=["the DRAM record is about the boot before"]),
        Act("", "shut down in order", "clean", power_off),
    ]


STORIES["dram"] = _dram_story()
