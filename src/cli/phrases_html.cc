#include <array>

#include "cli/phrase_tables.h"

namespace antifreeze::cli {
namespace {

constexpr std::array kPhrases = {
    Phrase{"html.title", "How each boot ended", "各起動の終わり方", "历次启动如何结束"},
    Phrase{"html.made", "antifreeze {0}, {1} UTC, knowledge {2}, read from {3}",
           "antifreeze {0}、{1} UTC、知識ベース {2}、読み取り元：{3}",
           "antifreeze {0}，{1} UTC，知识库 {2}，读取自 {3}"},
    Phrase{"html.this_machine", "this machine", "このマシン", "本机"},
    Phrase{"html.cannot_read", "What could not be read", "読み取れなかったもの", "未能读取的内容"},
    Phrase{"html.boots", "Boots", "起動の一覧", "启动一览"},
    Phrase{"html.strip", "One bar a boot, oldest first, coloured by how it ended.",
           "棒 1 本が起動 1 回。古い順に並び、色は終わり方を示す。",
           "每一条代表一次启动，按从旧到新排列，颜色表示结束方式。"},
    Phrase{"html.strip_cut", "The newest {0} of {1} boots are shown.", "全 {1} 回のうち新しい {0} 回を表示。",
           "仅显示 {1} 次启动中最近的 {0} 次。"},
    Phrase{"html.group.good", "in order", "正常終了", "正常"},
    Phrase{"html.group.running", "still running", "稼働中", "运行中"},
    Phrase{"html.group.memory", "memory ran out", "メモリ不足", "内存不足"},
    Phrase{"html.group.gpu", "GPU or its driver", "GPU・ドライバ", "GPU 或其驱动"},
    Phrase{"html.group.kernel", "the kernel stopped", "カーネル停止", "内核停止"},
    Phrase{"html.group.hardware", "hardware, power, heat", "ハードウェア・電源・熱", "硬件、电源、温度"},
    Phrase{"html.group.software", "stopped by software", "ソフトウェアによる停止", "由软件终止"},
    Phrase{"html.group.traceless", "without a trace", "痕跡なし", "无迹可寻"},
    Phrase{"html.group.unknown", "cannot be told", "判断できない", "无法判断"},
    Phrase{"html.explained", "Boots that ended badly", "異常終了した起動", "异常结束的启动"},
    Phrase{"html.explained_cut", "The newest {0} of {1} are explained here; {2} explains another one.",
           "全 {1} 回のうち新しい {0} 回を説明する。他のものは {2} で見られる。",
           "此处说明 {1} 次中最近的 {0} 次；其余可用 {2} 查看。"},
    Phrase{"html.none_bad", "None of these boots ended badly.", "異常終了した起動はない。", "没有异常结束的启动。"},
    Phrase{"html.sure", "{0} sure", "確度 {0}", "把握 {0}"},
    Phrase{"html.sure_why",
           "from the strength of the signs, how close to the end they stand and how rare they are on this host",
           "兆候の強さ、終了までの近さ、このホストでの珍しさから求めた値",
           "由迹象强度、距结束的远近以及在本机上的罕见程度得出"},
    Phrase{"html.timeline", "The last minutes", "最後の数分間", "最后几分钟"},
    Phrase{"html.axis", "time before the last line, logarithmic: the end is on the right",
           "最後の行までの残り時間 (対数目盛、右端が終了)", "距最后一行的时间 (对数刻度，右端为结束)"},
    Phrase{"html.first_event", "first abnormal event", "最初の異常", "首个异常事件"},
    Phrase{"html.first_event_at", "first abnormal event, {0} before the end", "最初の異常 (終了の {0} 前)",
           "首个异常事件 (结束前 {0})"},
    Phrase{"html.no_stamps", "These lines carry no times; nothing can be drawn.",
           "これらの行には時刻がないため、図にできない。", "这些行没有时间信息，无法绘图。"},
    Phrase{"html.lane.kernel", "kernel", "カーネル", "内核"},
    Phrase{"html.lane.system", "system", "システム", "系统"},
    Phrase{"html.lane.service", "services", "サービス", "服务"},
    Phrase{"html.lane.other", "other", "その他", "其他"},
    Phrase{"html.key.line", "log line", "ログ行", "日志行"},
    Phrase{"html.key.note", "known line", "既知の行", "已知行"},
    Phrase{"html.key.warning", "warning", "警告", "警告"},
    Phrase{"html.key.error", "error or critical", "エラー・致命的", "错误或严重"},
    Phrase{"html.before_end", "Before the end", "終了まで", "距结束"},
    Phrase{"html.source", "Source", "出所", "来源"},
    Phrase{"html.line", "Line", "内容", "内容"},
    Phrase{"html.lines_cut", "The last {0} lines, and warnings before them; {1} lines have been kept.",
           "最後の {0} 行と、それより前の警告。残っているのは {1} 行。", "最后 {0} 行以及此前的警告；共保留 {1} 行。"},
    Phrase{"html.for", "for", "裏付け", "支持"},
    Phrase{"html.against", "against", "反証", "反对"},
    Phrase{"html.no_cause", "No cause stands out.", "有力な原因は見当たらない。", "没有突出的原因。"},
};

}  // namespace

std::span<const Phrase> html_phrases() { return kPhrases; }

}  // namespace antifreeze::cli
