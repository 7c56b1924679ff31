// Opens an engine's module at run time.
#pragma once

#include "engines/world.hpp"
#include "steelyard/engines/engine.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Null when it is not there; `reason` then holds what the search or the loader said.
MakeWorld* find_module(EngineKind kind, std::string& reason);

// Throws MachineError that names the Debian package.
MakeWorld& open_module(EngineKind kind);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
