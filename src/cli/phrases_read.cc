#include <array>

#include "cli/phrase_tables.h"

namespace antifreeze::cli {
namespace {

constexpr std::array kPhrases = {
    Phrase{"read.some_files",
           "some journal files are not ours to read: earlier boots may be missing; run it with sudo, or join the group "
           "systemd-journal",
           "読む権限のないジャーナルファイルがあり、以前の起動が欠けている可能性がある。sudo で実行するか、グループ "
           "systemd-journal に加わること",
           "部分 journal 文件无权读取：可能缺少更早的启动；请用 sudo 运行，或加入 systemd-journal 组"},
    Phrase{
        "read.volatile",
        "the journal lives in memory only: earlier boots are gone; to keep it: sudo mkdir -p /var/log/journal && sudo "
        "systemctl restart systemd-journald",
        "ジャーナルはメモリ上にしかなく、以前の起動は失われている。残すには：sudo mkdir -p /var/log/journal && sudo "
        "systemctl restart systemd-journald",
        "journal 只保存在内存中：更早的启动已经丢失；要保留请执行：sudo mkdir -p /var/log/journal && sudo systemctl "
        "restart systemd-journald"},
    Phrase{
        "read.no_journal",
        "there is no journal here: boots and their ends cannot be told; give a text log with --log, or another place "
        "with --journal or --root",
        "ここにはジャーナルがなく、起動とその終わり方を判断できない。--log でテキストのログを、または --journal か "
        "--root で別の場所を指定すること",
        "这里没有 journal: 无法判断各次启动及其结束方式；请用 --log 指定文本日志，或用 --journal、--root 指定其他位置"},
    Phrase{"read.no_right", "{0}: not ours to read (try with sudo); {1}", "{0}: 読む権限がない (sudo で試すこと)。{1}",
           "{0}: 无权读取 (请用 sudo 再试)；{1}"},
    Phrase{"read.unreadable", "{0}: cannot be read; {1}", "{0}: 読み取れない。{1}", "{0}: 无法读取；{1}"},
    Phrase{"read.directory", "{0}: not ours to read", "{0}: 読む権限がない", "{0}: 无权读取"},
    Phrase{"read.too_many", "{0}: too many files, only a part is read", "{0}: ファイルが多すぎるため、一部だけを読む",
           "{0}: 文件过多，只读取一部分"},
    Phrase{"read.compressed", "{0}: compressed; unpack it first", "{0}: 圧縮されている。先に展開すること",
           "{0}: 已压缩；请先解压"},
    Phrase{"read.damaged", "{0}: damaged, {1} bytes skipped", "{0}: 破損している。{1} バイトを飛ばした",
           "{0}: 已损坏，跳过 {1} 字节"},
    Phrase{"read.record_lost", "a crash record is lost", "クラッシュ記録が 1 件失われる", "丢失一条崩溃记录"},
    Phrase{"read.records_unseen", "crash records are not seen", "クラッシュ記録が見えない", "看不到崩溃记录"},
    Phrase{"read.dumps_unseen", "crash dumps are not seen", "クラッシュダンプが見えない", "看不到崩溃转储"},
    Phrase{"read.dump_unseen", "a crash dump is not seen", "クラッシュダンプの 1 つが見えない", "看不到某个崩溃转储"},
    Phrase{"read.dump_messages", "a crash dump's messages are lost", "クラッシュダンプのメッセージが失われる",
           "丢失某个崩溃转储的消息"},
    Phrase{"read.watchdog", "a reset by the watchdog is not seen", "ウォッチドッグによるリセットが見えない",
           "看不到看门狗造成的复位"},
    Phrase{"read.running", "which boot is running is not known", "どの起動が稼働中かは分からない",
           "不知道当前运行的是哪一次启动"},
    Phrase{"read.wtmp", "boots and orderly ends are counted from the journal alone",
           "起動と正常終了はジャーナルだけから数える", "启动和正常结束仅根据 journal 统计"},
    Phrase{"read.packages", "changes of driver and kernel are not known", "ドライバとカーネルの変更は分からない",
           "不知道驱动和内核的更改情况"},
    Phrase{"read.gate_log", "who was starting is not known", "何が起動中だったかは分からない", "不知道当时谁在启动"},
};

}  // namespace

std::span<const Phrase> read_sentences() { return kPhrases; }

}  // namespace antifreeze::cli
