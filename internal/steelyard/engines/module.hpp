// Opens an engine's module at run time.
#pragma once

#include "engines/world.hpp"
#include "steelyard/engines/engine.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct EngineModule {
  MakeWorld* make = nullptr;  // null: the engine is not installed
  LoadWorld* load = nullptr;  // null: it reads no files
  WorldVersion* version = nullptr;
};

// `reason`: the message of the search or the loader when it is not installed.
EngineModule find_module(EngineKind kind, std::string& reason);

// Throws MachineError that names the Debian package.
EngineModule open_module(EngineKind kind);

}  // namespace steelyard
