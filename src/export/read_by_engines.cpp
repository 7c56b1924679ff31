#include <cstdlib>
#include <set>

#include "read_back.hpp"
#include "scratch_folder.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/export/read_back.hpp"
#include "xml_text.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Links that no joint moves: their mass is irrelevant.
std::set<std::string> still_links(const XmlText& xml) {
  std::set<std::string> moving, still;
  for (bool grown = true; grown;) {
    grown = false;
    for (const XmlElement& joint : xml.elements()) {
      const XmlElement* parent = joint.name == "joint" ? xml.child(joint, "parent") : nullptr;
      const XmlElement* child = joint.name == "joint" ? xml.child(joint, "child") : nullptr;
      if (parent == nullptr || child == nullptr) continue;
      const bool moves = xml.value(joint, "type") != "fixed" || moving.count(xml.value(*parent, "link")) > 0;
      grown = (moves && moving.insert(xml.value(*child, "link")).second) || grown;
    }
  }
  for (const XmlElement& element : xml.elements())
    if (element.name == "link" && moving.count(xml.value(element, "name")) == 0)
      still.insert(xml.value(element, "name"));
  return still;
}

// The joints and bodies of a URDF alone, and what MuJoCo is to do with them: keep every link as it is.
std::string joints_and_bodies(const std::string& urdf) {
  const XmlText xml(urdf);
  const std::set<std::string> still = still_links(xml);
  TextPatch patch;
  for (const XmlElement& element : xml.elements()) {
    if (element.parent < 0) {
      patch.replace(element.tag_end, element.tag_end,
                    "<mujoco><compiler fusestatic=\"false\" inertiafromgeom=\"false\" "
                    "balanceinertia=\"false\"/></mujoco>");
      continue;
    }
    const XmlElement& parent = xml.elements()[static_cast<std::size_t>(element.parent)];
    const bool top = parent.parent < 0, of_link = parent.name == "link";
    const bool shape = of_link && (element.name == "visual" || element.name == "collision");
    // Frames written as links with no mass: DART would complain on the console.
    const XmlElement* mass = of_link && element.name == "inertial" ? xml.child(element, "mass") : nullptr;
    const bool nothing = mass != nullptr && (std::strtod(xml.value(*mass, "value").c_str(), nullptr) == 0 ||
                                             still.count(xml.value(parent, "name")) > 0);
    // Of an element that stands twice, readers take the first or refuse the file.
    const bool repeated = element.name == "origin" && xml.child(parent, "origin") != &element;
    if (shape || nothing || repeated || (top && element.name != "link" && element.name != "joint"))
      patch.replace(element.begin, element.end, "");
  }
  return patch.applied_to(urdf);
}

std::vector<EngineKind> readers_of(const std::string& format) {
  if (format == "mjcf") return {EngineKind::mujoco};
  if (format == "sdf") return {EngineKind::dart};
  require(format == "urdf", "a format that engines read");
  return {EngineKind::mujoco, EngineKind::dart};
}

}  // namespace

std::vector<ReadBack> read_by_engines(const std::string& format, const std::string& text,
                                      const ExportModel& model, const std::vector<std::string>& joints) {
  EngineFile file;
  file.format = format;
  file.text = format == "urdf" ? joints_and_bodies(text) : text;
  file.joints = joints;
  // A URDF is placed on its base; the others give its pose.
  file.gravity = format == "urdf" ? compile(model.robot).gravity : model.robot.gravity;
  const ScratchFolder folder;
  file.path = folder.file("robot." + format, file.text);
  CarriedParts parts;
  parts.rotors = format == "mjcf";
  std::vector<ReadBack> readers;
  for (const EngineKind kind : readers_of(format)) {
    if (!has_engine(kind)) continue;
    ReadBack reader{to_string(kind), 0, {}, {}};
    try {
      Engine engine(kind, file);
      reader.error = engine_error(engine, model, parts);
      reader.dry_friction = dry_friction_error(engine, model);
    } catch (const InputError& error) {
      reader.refusal = error.complaint().what;
    }
    readers.push_back(std::move(reader));
  }
  return readers;
}

}  // namespace steelyard
