// MJCF with its alternative notations: settings of the compiler, orientations, defaults by class.
#pragma once

#include <map>
#include <string>

#include "robot/urdf_xml.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct MjcfSettings {
  bool degrees = true;           // MuJoCo's default for MJCF
  std::string sequence = "xyz";  // of Euler angles; capital letters turn about fixed axes
  bool inertia_from_geoms = false;
  Vector3 gravity = Vector3(0, 0, -9.81);
};
MjcfSettings read_mjcf_settings(UrdfContext& context, const tinyxml2::XMLElement& root);

// Exactly `count` numbers; all zero when the attribute is absent.
VectorXd mjcf_numbers(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                      int count);

// quat, axisangle, euler, xyaxes or zaxis; identity when there is none. Throws InputError for two of them.
Matrix3 mjcf_rotation(const UrdfContext& context, const tinyxml2::XMLElement& element,
                      const MjcfSettings& settings);

// Roll, pitch and yaw with R = Rz(yaw) Ry(pitch) Rx(roll).
Vector3 rpy_from_rotation(const Matrix3& rotation);

// <default>: attributes of joints by class, with those of the classes around it.
class JointDefaults {
 public:
  JointDefaults() = default;
  JointDefaults(UrdfContext& context, const tinyxml2::XMLElement& root);
  // The element that gives the attribute to joints of this class; empty: of no class. Null when none does.
  const tinyxml2::XMLElement* holder(const std::string& name, const char* attribute) const;

 private:
  void add(UrdfContext& context, const tinyxml2::XMLElement& element, const std::string& outer);
  struct Class {
    const tinyxml2::XMLElement* joint = nullptr;
    std::string outer;  // empty: the outermost
  };
  std::map<std::string, Class> classes_;
  std::string root_;
};

}  // namespace steelyard
