// steelyard about: version, instruction sets, threads, libraries and engines of this installation, for reports of bugs.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

// Versions alone, of what this program was built with.
#if __has_include(<matio_pubconf.h>)
#include <matio_pubconf.h>
#endif
#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#endif
#if __has_include(<zlib.h>)
#include <zlib.h>
#endif
#if __has_include(<zstd.h>)
#include <zstd.h>
#endif
#if __has_include(<lz4.h>)
#include <lz4.h>
#endif

#include "help_verbs.hpp"
#include "output.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/engines/version.hpp"
#include "steelyard/regressor/plan.hpp"
#include "text.hpp"

namespace cli {
namespace {

using steelyard::IsaLevel;

std::string system_text() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "";
}

nlohmann::ordered_json libraries_json() {
  nlohmann::ordered_json libraries = {
      {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                    NLOHMANN_JSON_VERSION_PATCH)}};
#ifdef MATIO_VERSION_STR
  libraries["matio"] = MATIO_VERSION_STR;
#endif
#ifdef SQLITE_VERSION
  libraries["SQLite"] = SQLITE_VERSION;
#endif
#ifdef ZLIB_VERSION
  libraries["zlib"] = ZLIB_VERSION;
#endif
#ifdef ZSTD_VERSION_STRING
  libraries["zstd"] = ZSTD_VERSION_STRING;
#endif
#ifdef LZ4_VERSION_STRING
  libraries["lz4"] = LZ4_VERSION_STRING;
#endif
  return libraries;
}

nlohmann::ordered_json about_json() {
  nlohmann::ordered_json json = {{"version", STEELYARD_VERSION},
                                 {"system", system_text()},
                                 {"compiler", fmt::format("{}", __VERSION__)},
                                 {"libraries", libraries_json()},
                                 {"threads", steelyard::hardware_threads()},
                                 {"isa", to_string(steelyard::isa_level())}};
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512})
    if (is_available(level)) json["isa_available"].push_back(to_string(level));
  for (const steelyard::EngineKind kind : steelyard::kEngines)
    json["engines"][to_string(kind)] = has_engine(kind);
  json["engine_versions"] = nlohmann::ordered_json::object();
  for (const steelyard::EngineKind kind : steelyard::kEngines)
    if (const std::string version = engine_version(kind); !version.empty())
      json["engine_versions"][to_string(kind)] = version;
  return json;
}

std::string about_text(const nlohmann::ordered_json& about) {
  std::string available, engines, absent;
  for (const auto& level : about["isa_available"])
    available += (available.empty() ? "" : ", ") + level.get<std::string>();
  for (const auto& [name, there] : about["engines"].items()) {
    std::string& list = there.get<bool>() ? engines : absent;
    list += (list.empty() ? "" : ", ") + name;
    if (there.get<bool>()) list += " " + about["engine_versions"].value(name, std::string());
  }
  std::string libraries;
  for (const auto& [name, version] : about["libraries"].items())
    libraries += fmt::format("{}{} {}", libraries.empty() ? "" : ", ", name, version.get<std::string>());
  const auto word = [&](const char* key) { return about[key].get<std::string>(); };
  return fmt::format(
      "steelyard {}\n"
      "system        {}\n"
      "compiler      {}\n"
      "{}"
      "threads       {}\n"
      "instructions  {} (available: {})\n"
      "engines       {}{}\n",
      word("version"), word("system"), word("compiler"),
      wrapped(libraries, "libraries     ", "              "), about["threads"].get<int>(), word("isa"),
      available, engines.empty() ? "none" : engines, absent.empty() ? "" : "; not installed: " + absent);
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
