// The version of an engine that is installed, for reports of bugs.
#pragma once

#include <string>

#include "steelyard/engines/engine.hpp"

namespace steelyard::inline STEELYARD_ABI {

// "3.2.0"; empty: the engine is not installed, or its module does not say.
std::string engine_version(EngineKind kind);

}  // namespace steelyard
