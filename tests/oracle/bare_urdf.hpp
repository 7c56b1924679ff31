// URDF texts for other people's readers.
#pragma once

#include <string>

namespace steelyard::oracle {

// Without the elements that have nothing to do with dynamics: readers would look for the meshes of <visual>
// and <collision>, or stumble over <transmission> and <gazebo>.
std::string bare_urdf(const std::string& path);

// The same as MuJoCo accepts it. MuJoCo refuses a file with a body that cannot exist, and repeated elements:
//   links that cannot move (the root and what is fixed to it) lose their inertia,
//   a multiple of the identity is added to inertias that are zero, not positive or break the triangle
//   inequality, the first <origin> of a joint stays.
// The bodies are other ones then: our reader must be given this text, too.
std::string possible_urdf(const std::string& path);

}  // namespace steelyard::oracle
