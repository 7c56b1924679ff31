// XML elements with locations: access for the readers of URDF and MJCF.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/number.hpp"
#include "steelyard/robot/inertia.hpp"

namespace tinyxml2 {
class XMLElement;
class XMLDocument;
}  // namespace tinyxml2

namespace steelyard::inline STEELYARD_ABI {

struct UrdfContext {
  std::string file;
  std::string owner;                  // joint or link that is being read
  std::vector<Complaint> warnings{};  // what was left out so far

  Place place(const tinyxml2::XMLElement& element) const;
  [[noreturn]] void fail(const tinyxml2::XMLElement& element, std::string what, std::string limit,
                         std::string remedy) const;
};

// Reads the text into `document` and returns its root, which must have this name (robot, mujoco); throws
// InputError with line for everything else.
const tinyxml2::XMLElement& parse_xml(const std::string& text, const UrdfContext& context,
                                      tinyxml2::XMLDocument& document, const std::string& name);

// Child elements of one name.
std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element, const char* name);
// The first child of that name; null when there is none. Others are left out with a warning, as other readers
// do.
const tinyxml2::XMLElement* child(UrdfContext& context, const tinyxml2::XMLElement& element,
                                  const char* name);

bool has_attribute(const tinyxml2::XMLElement& element, const char* name);
std::string attribute(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name);
double number(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name);
double number_or(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                 double absent);
Vector3 triple_or(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                  const Vector3& absent);

}  // namespace steelyard
