#include "cli/runtime_options.h"

#include "cli/json_text.h"
#include "host/executable.h"

namespace antifreeze::cli {

runtime_setup::Paths runtime_paths(const core::ParsedOptions& parsed) {
  runtime_setup::Paths paths;
  const auto take = [&parsed](std::string_view name, std::string& into) {
    if (const auto value = parsed.get(name)) into = *value;
  };
  take("runtime-dir", paths.folder);
  take("daemon-json", paths.daemon_json);
  take("docker-root", paths.docker_root);
  take("docker-pidfile", paths.pidfile);
  if (const auto own = host::own_executable()) {
    const auto folder = own->substr(0, own->rfind('/'));
    paths.programs = {folder, folder + "/../lib/antifreeze"};
  }
  return paths;
}

void show_report(const Context& context, std::string_view verb, const runtime_setup::Report& report) {
  if (context.json) {
    Json users = Json::array();
    for (const auto& user : report.users) {
      users.push_back({{"id", user.id}, {"name", user.name}, {"runtime", user.runtime}});
    }
    context.out(json_text(Json{{"schema", "antifreeze/runtime-" + std::string(verb) + "/v1"},
                               {"dry_run", context.dry_run},
                               {"steps", report.steps},
                               {"notes", report.notes},
                               {"difference", report.difference},
                               {"containers", users}}));
  }
  if (!report.difference.empty()) context.note("daemon.json:\n" + report.difference);
  for (const auto& step : report.steps) context.note((context.dry_run ? "would " : "") + step);
  for (const auto& note : report.notes) context.note("note: " + note);
}

}  // namespace antifreeze::cli
