#include <array>

#include "cli/phrase_tables.h"

namespace antifreeze::cli {
namespace {

// At most 25 columns each: the table's column has 26.
constexpr std::array kPhrases = {
    Phrase{"ending.clean", "in order", "正常終了", "正常关机"},
    Phrase{"ending.shutdown_hang", "hung while shutting down", "シャットダウン中にハング", "关机过程中卡死"},
    Phrase{"ending.panic", "kernel panic", "カーネルパニック", "内核 panic"},
    Phrase{"ending.oops_reset", "kernel crash (oops)", "カーネル異常 (oops)", "内核异常 (oops)"},
    Phrase{"ending.oom", "host out of memory", "ホストのメモリ枯渇", "主机内存耗尽"},
    Phrase{"ending.memory_wedge", "stuck for memory", "メモリ不足で応答停止", "因内存不足卡死"},
    Phrase{"ending.driver_wedge", "stuck in the GPU driver", "GPU ドライバで応答停止", "卡死在 GPU 驱动中"},
    Phrase{"ending.gpu_lost", "GPU fell off the bus", "GPU がバスから脱落", "GPU 从总线上掉线"},
    Phrase{"ending.gpu_error", "GPU error", "GPU エラー", "GPU 错误"},
    Phrase{"ending.memory_hardware", "broken memory", "メモリの故障", "内存硬件故障"},
    Phrase{"ending.pcie", "fatal bus error", "致命的なバスエラー", "致命总线错误"},
    Phrase{"ending.nvlink", "NVLink failure", "NVLink の障害", "NVLink 故障"},
    Phrase{"ending.storage", "disk failure", "ディスクの障害", "磁盘故障"},
    Phrase{"ending.thermal", "too hot", "過熱", "过热"},
    Phrase{"ending.power", "power lost", "電源断", "断电"},
    Phrase{"ending.watchdog_reset", "reset by the watchdog", "ウォッチドッグがリセット", "被看门狗复位"},
    Phrase{"ending.lockup", "CPU locked up", "CPU ロックアップ", "CPU 锁死"},
    Phrase{"ending.userspace_kill", "killed from user space", "ユーザー空間から強制終了", "被用户态程序终止"},
    Phrase{"ending.traceless", "without a trace", "痕跡なし", "无迹可寻"},
    Phrase{"ending.insufficient_evidence", "cannot be told", "判断できない", "无法判断"},
    Phrase{"ending.running", "still running", "稼働中", "仍在运行"},
};

}  // namespace

std::span<const Phrase> ending_phrases() { return kPhrases; }

}  // namespace antifreeze::cli
