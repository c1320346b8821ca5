#include <array>

#include "cli/phrase_tables.h"

namespace antifreeze::cli {
namespace {

constexpr std::array kPhrases = {
    Phrase{"page.boot", "BOOT", "起動", "启动"},
    Phrase{"page.started", "STARTED (UTC)", "開始 (UTC)", "开始 (UTC)"},
    Phrase{"page.up", "UP", "稼働時間", "运行时长"},
    Phrase{"page.ended", "ENDED", "終わり方", "结束方式"},
    Phrase{"page.sure", "SURE", "確度", "把握"},
    Phrase{"page.cause", "CAUSE", "原因", "原因"},
    Phrase{"page.capture_kernel", "(the crash kernel's own boot)", "(クラッシュカーネル自身の起動)",
           "(崩溃内核自身的启动)"},
    Phrase{"page.one_note", "({0} note)", "(注記 {0} 件)", "({0} 条备注)"},
    Phrase{"page.notes", "({0} notes)", "(注記 {0} 件)", "({0} 条备注)"},
    Phrase{"page.times", "{0} ({1} times)", "{0} ({1} 回)", "{0} ({1} 次)"},
    Phrase{"page.unknown", "unknown", "不明", "未知"},
    Phrase{"page.seconds", "{0} s", "{0} 秒", "{0} 秒"},
    Phrase{"page.minutes", "{0} min", "{0} 分", "{0} 分钟"},
    Phrase{"page.hours", "{0} h", "{0} 時間", "{0} 小时"},
    Phrase{"page.days", "{0} d", "{0} 日", "{0} 天"},
    Phrase{"page.one_boot_count", "{0} boot, {1} ended badly.", "起動 {0} 回、うち異常終了 {1} 回。",
           "共 {0} 次启动，其中 {1} 次异常结束。"},
    Phrase{"page.boot_count", "{0} boots, {1} ended badly.", "起動 {0} 回、うち異常終了 {1} 回。",
           "共 {0} 次启动，其中 {1} 次异常结束。"},
    Phrase{"page.last_bad", "The last one of them:", "そのうち最後のもの：", "其中最近的一次："},
    Phrase{"page.next", "Next: {0}", "次に：{0}", "下一步：{0}"},
    Phrase{"page.no_boots", "no boots found", "起動の記録が見つからない", "未找到任何启动记录"},
    Phrase{"page.boot_title", "Boot {0}", "起動 {0}", "启动 {0}"},
    Phrase{"page.life", "started {0} UTC, up {1}, {2} log lines", "開始 {0} UTC、稼働 {1}、ログ {2} 行",
           "开始于 {0} UTC，运行 {1}，日志 {2} 行"},
    Phrase{"page.life_unknown", "started {0}, up {1}, {2} log lines", "開始 {0}、稼働 {1}、ログ {2} 行",
           "开始时间{0}，运行 {1}，日志 {2} 行"},
    Phrase{"page.how_ended", "ended: {0} [{1}], {2} sure", "終わり方：{0} [{1}]、確度 {2}",
           "结束方式：{0} [{1}]，把握 {2}"},
    Phrase{"page.starting", "starting at the end: {0}", "終了時に起動中：{0}", "结束时正在启动：{0}"},
    Phrase{"page.causes", "Causes, best first", "原因 (有力な順)", "原因 (按可能性排序)"},
    Phrase{"page.found", "Found outside this boot's log", "この起動のログ以外で見つかったもの",
           "在本次启动日志之外发现的"},
    Phrase{"page.tests", "Tests", "切り分け", "排查检验"},
    Phrase{"page.supports", "supports", "裏付ける", "支持"},
    Phrase{"page.contradicts", "contradicts", "反する", "不支持"},
    Phrase{"page.cannot_tell", "cannot tell", "判断できない", "无法判断"},
    Phrase{"page.tail", "The last lines", "最後のログ行", "最后的日志行"},
    Phrase{"page.fixes", "What to do", "対処", "处理办法"},
    Phrase{"page.also", "Also noticed", "その他の気づき", "其他发现"},
    Phrase{"page.not_known", "What is not known", "分からないこと", "尚不清楚的"},
};

}  // namespace

std::span<const Phrase> page_phrases() { return kPhrases; }

}  // namespace antifreeze::cli
