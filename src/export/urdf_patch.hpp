// Single values of a URDF's text replaced.
#pragma once

#include <string>
#include <vector>

#include "steelyard/robot/inertia.hpp"
#include "xml_text.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Elements <robot>/<link> or <robot>/<joint> by name; null: not there.
const XmlElement* urdf_element(const XmlText& xml, const std::string& kind, const std::string& name);

// Links that fixed joints hang on `link`, directly or through each other.
std::vector<std::string> fixed_links(const XmlText& xml, const std::string& link);

// Writes mass, centre of mass and inertia into the link; a zero inertia writes zeros where an inertial is,
// and nothing where there is none.
void patch_inertial(const XmlText& xml, const XmlElement& link, const Inertia& inertia, TextPatch& patch);

void patch_dynamics(const XmlText& xml, const XmlElement& joint, double damping, double friction,
                    TextPatch& patch);

}  // namespace steelyard
