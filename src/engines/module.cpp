#include "steelyard/engines/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "steelyard/core/error.hpp"
#include "steelyard/engines/version.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

const char* package_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::mujoco:
      return "libmujoco-dev";
    case EngineKind::dart:
      return "libdart-dev";
    case EngineKind::bullet:
      return "libbullet-dev";
    case EngineKind::ode:
      return "libode-dev";
  }
  throw InternalError("an engine that does not exist");
}

// Where modules may lie: a folder that was named, or beside the program or library that holds this code.
std::vector<fs::path> module_folders() {
  if (const char* named = std::getenv("STEELYARD_ENGINES")) return {named};
  Dl_info own;
  std::error_code ignored;
  fs::path place = fs::read_symlink("/proc/self/exe", ignored);
  if (::dladdr(reinterpret_cast<const void*>(&find_module), &own) != 0 && own.dli_fname != nullptr) {
    const fs::path library = fs::absolute(own.dli_fname, ignored);
    if (library.string().find(".so") != std::string::npos) place = library;
  }
  const fs::path folder = place.parent_path();
  return {folder / "engines", folder / "steelyard", folder / ".." / STEELYARD_LIBRARY_FOLDER / "steelyard"};
}

}  // namespace

EngineModule find_module(EngineKind kind, std::string& reason) {
  const std::string file = fmt::format("libsteelyard_engine_{}.so", to_string(kind));
  reason = "this program was built without it";
  for (const fs::path& folder : module_folders()) {
    std::error_code ignored;
    if (!fs::exists(folder / file, ignored)) continue;
    void* library = ::dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      reason = ::dlerror();
      continue;
    }
    const EngineModule module{reinterpret_cast<MakeWorld*>(::dlsym(library, kMakeWorld)),
                              reinterpret_cast<LoadWorld*>(::dlsym(library, kLoadWorld)),
                              reinterpret_cast<WorldVersion*>(::dlsym(library, kWorldVersion))};
    if (module.make != nullptr) return module;
    reason = fmt::format("{} is not a Steelyard module", file);
  }
  return {};
}

EngineModule open_module(EngineKind kind) {
  std::string reason;
  if (const EngineModule module = find_module(kind, reason); module.make != nullptr) return module;
  throw MachineError({fmt::format("the engine '{}' is not installed: {}", to_string(kind), reason),
                      {},
                      {},
                      fmt::format("install the Debian package {} and build again", package_of(kind))});
}

std::string engine_version(EngineKind kind) {
  std::string reason;
  const EngineModule module = find_module(kind, reason);
  return module.version == nullptr ? "" : module.version();
}

bool has_engine(EngineKind kind) {
  std::string reason;
  return find_module(kind, reason).make != nullptr;
}

}  // namespace steelyard
