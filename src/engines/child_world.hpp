// An engine in a process of its own.
//
// Engines end the process on their own errors (MuJoCo by exit, ODE by abort): a crash must not end a study.
// The world is therefore made and moved in a fork of this process; every call is a line there and a line
// back, numbers as the digits of their bits.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engines/world.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Makes the world in a child and stands for it. What `make` and the world throw is thrown here as
// std::runtime_error; a child that ends, or computes for longer than `seconds` at one call, is a MachineError
// that names the engine.
std::unique_ptr<World> child_world(const std::function<World*()>& make, int joints, const std::string& engine,
                                   double seconds = 60);

}  // namespace steelyard
