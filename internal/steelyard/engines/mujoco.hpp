// MuJoCo as a source of g(q) and M(q).
//
// The library is opened when it is needed (libmujoco, of the version whose headers were there when we were
// built): without it, and in builds without its headers, has_mujoco() is false and a source is a
// MachineError. Contacts, limits, damping and constraints are switched off; armature is part of M. Models
// must consist of hinge and slide joints only.
//
// MuJoCo ends the process on its own errors: run the source by child_source() of reverse/source.hpp.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard::inline STEELYARD_ABI {

bool has_mujoco();

// MJCF or URDF. `joints`: by name, in the order of q; empty: all, in the model's order. Joints that are not
// named stay at zero. Throws InputError for models that MuJoCo rejects, and for names it does not have.
ReverseSource mujoco_source(const std::string& path, const std::vector<std::string>& joints = {});

}  // namespace steelyard
