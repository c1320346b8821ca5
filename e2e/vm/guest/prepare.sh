#!/bin/bash
# Runs inside the image while it is built: prepare.sh KERNEL-RELEASE
set -eu
echo sparkvm >/etc/hostname
echo 127.0.1.1 sparkvm >/etc/hosts
passwd -d root >/dev/null
echo '/dev/vda / ext4 defaults,errors=remount-ro 0 1' >/etc/fstab

mkdir -p /etc/systemd/journald.conf.d /etc/systemd/system-generators /var/log/journal
printf '[Journal]\nStorage=persistent\nSystemMaxFileSize=8M\nRateLimitBurst=0\n' >/etc/systemd/journald.conf.d/test.conf

# af.sync=N on the kernel's command line is journald's SyncIntervalSec.
cat >/etc/systemd/system-generators/af-sync <<'G'
#!/bin/sh
n=$(sed -n 's/.*af\.sync=\([0-9]*\).*/\1/p' /proc/cmdline)
[ -n "$n" ] || exit 0
mkdir -p /run/systemd/journald.conf.d
printf '[Journal]\nSyncIntervalSec=%ss\n' "$n" >/run/systemd/journald.conf.d/sync.conf
G
chmod +x /etc/systemd/system-generators/af-sync

mkdir -p /etc/systemd/system/serial-getty@ttyS1.service.d
cat >/etc/systemd/system/serial-getty@ttyS1.service.d/shell.conf <<'U'
[Service]
ExecStart=
ExecStart=-/sbin/agetty --autologin root --noclear ttyS1 115200 dumb
U
cat >>/root/.bashrc <<'R'
PS1='@@# '
bind 'set enable-bracketed-paste off' 2>/dev/null
stty -echo cols 400 2>/dev/null
k() { printf 'k %s' "$*" >/dev/nvidia-uvm; }
R
: >/etc/motd
echo nvidia_uvm >/etc/modules-load.d/test.conf
echo i6300esb >>/etc/modules-load.d/test.conf
rm -f /lib/modprobe.d/*blacklist* /usr/lib/modprobe.d/*blacklist*

# Two ordinary things that every host has: a service that talks and something that a timer starts.
cat >/etc/systemd/system/vllm-qwen.service <<'U'
[Unit]
Description=vLLM server (test stand-in)
[Service]
ExecStart=/bin/bash -c 'n=0; while :; do n=$((n+1)); echo "INFO: 10.0.0.7:51622 - \"POST /v1/completions HTTP/1.1\" 200 OK ($n)"; sleep 5; done'
Restart=always
[Install]
WantedBy=multi-user.target
U
printf '[Unit]\nDescription=Collect host metrics\n[Service]\nType=oneshot\nExecStart=/bin/true\n' >/etc/systemd/system/host-metrics.service
printf '[Timer]\nOnBootSec=20\nOnUnitActiveSec=20\nAccuracySec=1\n[Install]\nWantedBy=timers.target\n' >/etc/systemd/system/host-metrics.timer
systemctl enable -q vllm-qwen.service host-metrics.timer serial-getty@ttyS1.service
systemctl disable -q kdump-tools.service earlyoom.service apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer 2>/dev/null || true
systemctl mask -q serial-getty@ttyS0.service getty@tty1.service e2scrub_reap.service fstrim.timer systemd-networkd-wait-online.service 2>/dev/null || true

sed -i 's/^MODULES=.*/MODULES=list/; s/^COMPRESS=.*/COMPRESS=lz4/' /etc/initramfs-tools/initramfs.conf
printf 'virtio_pci\nvirtio_blk\next4\n' >/etc/initramfs-tools/modules
depmod "$1"
update-initramfs -c -k "$1"
