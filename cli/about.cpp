// steelyard about: version, instruction sets, threads and engines of this installation, for reports of bugs.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "help_verbs.hpp"
#include "output.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/regressor/plan.hpp"

namespace cli {
namespace {

using steelyard::IsaLevel;

std::string system_text() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

nlohmann::ordered_json about_json() {
  nlohmann::ordered_json json = {
      {"version", STEELYARD_VERSION},
      {"system", system_text()},
      {"compiler", fmt::format("{}", __VERSION__)},
      {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"threads", steelyard::hardware_threads()},
      {"isa", to_string(steelyard::isa_level())}};
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512})
    if (is_available(level)) json["isa_available"].push_back(to_string(level));
  for (const steelyard::EngineKind kind : steelyard::kEngines)
    json["engines"][to_string(kind)] = has_engine(kind);
  return json;
}

std::string about_text(const nlohmann::ordered_json& about) {
  std::string available, engines, absent;
  for (const auto& level : about["isa_available"])
    available += (available.empty() ? "" : ", ") + level.get<std::string>();
  for (const auto& [name, there] : about["engines"].items()) {
    std::string& list = there.get<bool>() ? engines : absent;
    list += (list.empty() ? "" : ", ") + name;
  }
  const auto word = [&](const char* key) { return about[key].get<std::string>(); };
  return fmt::format(
      "steelyard {}\n"
      "system        {}\n"
      "compiler      {}, Eigen {}\n"
      "threads       {}\n"
      "instructions  {} (available: {})\n"
      "engines       {}{}\n",
      word("version"), word("system"), word("compiler"), word("eigen"), about["threads"].get<int>(),
      word("isa"), available, engines.empty() ? "none" : engines,
      absent.empty() ? "" : "; not installed: " + absent);
}

}  // namespace

Run add_about(Arguments& verb) {
  verb.footer("Example:\n  steelyard about --json\n");
  return [](const CommonOptions& common) {
    const nlohmann::ordered_json about = about_json();
    print(common.json ? about.dump(2) + "\n" : about_text(about));
    return kDone;
  };
}

}  // namespace cli
