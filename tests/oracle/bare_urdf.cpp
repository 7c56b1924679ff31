#include "oracle/bare_urdf.hpp"

#include <tinyxml2.h>

#include <Eigen/Eigenvalues>
#include <set>
#include <stdexcept>
#include <string_view>

namespace steelyard::oracle {
namespace {

void remove_all(tinyxml2::XMLElement* parent, const char* name) {
  while (tinyxml2::XMLElement* element = parent->FirstChildElement(name)) parent->DeleteChild(element);
}

bool is_fixed(const tinyxml2::XMLElement* joint) {
  return std::string_view("fixed") == joint->Attribute("type");
}

std::string link_of(tinyxml2::XMLElement* joint, const char* end) {
  return joint->FirstChildElement(end)->Attribute("link");
}

// Links that do not hang on any moving joint.
std::set<std::string> still_links(tinyxml2::XMLElement* robot) {
  std::set<std::string> moving;
  for (bool grown = true; grown;) {
    grown = false;
    for (auto* joint = robot->FirstChildElement("joint"); joint; joint = joint->NextSiblingElement("joint")) {
      const bool moves = !is_fixed(joint) || moving.count(link_of(joint, "parent")) > 0;
      if (moves) grown = moving.insert(link_of(joint, "child")).second || grown;
    }
  }
  std::set<std::string> still;
  for (auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    if (moving.count(link->Attribute("name")) == 0) still.insert(link->Attribute("name"));
  }
  return still;
}

void load_bare(const std::string& path, tinyxml2::XMLDocument& document) {
  if (document.LoadFile(path.c_str()) != tinyxml2::XML_SUCCESS)
    throw std::runtime_error("cannot read " + path);
  tinyxml2::XMLElement* robot = document.FirstChildElement("robot");
  for (const char* name : {"transmission", "gazebo", "material"}) remove_all(robot, name);
  for (auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    remove_all(link, "visual");
    remove_all(link, "collision");
  }
}

void make_possible(tinyxml2::XMLElement* inertia) {
  static constexpr const char* kNames[3][3] = {
      {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
  Eigen::Matrix3d I;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) I(i, j) = inertia->DoubleAttribute(kNames[i][j]);
  }
  const Eigen::Vector3d moments = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(I).eigenvalues();
  if (moments[0] > 0 && moments[0] + moments[1] > moments[2]) return;
  for (int i = 0; i < 3; ++i) {
    // Adding s to all moments leaves room when s exceeds the largest.
    inertia->SetAttribute(kNames[i][i], I(i, i) + moments.cwiseAbs().maxCoeff() + 1e-4);
  }
}

std::string to_text(const tinyxml2::XMLDocument& document) {
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

}  // namespace

std::string bare_urdf(const std::string& path) {
  tinyxml2::XMLDocument document;
  load_bare(path, document);
  return to_text(document);
}

std::string possible_urdf(const std::string& path) {
  tinyxml2::XMLDocument document;
  load_bare(path, document);
  auto* robot = document.FirstChildElement("robot");
  const std::set<std::string> still = still_links(robot);
  for (auto* link = robot->FirstChildElement("link"); link; link = link->NextSiblingElement("link")) {
    if (still.count(link->Attribute("name")) > 0) remove_all(link, "inertial");
    if (auto* inertial = link->FirstChildElement("inertial"))
      make_possible(inertial->FirstChildElement("inertia"));
  }
  for (auto* joint = robot->FirstChildElement("joint"); joint; joint = joint->NextSiblingElement("joint")) {
    auto* origin = joint->FirstChildElement("origin");
    while (origin != nullptr && origin->NextSiblingElement("origin") != nullptr) {
      joint->DeleteChild(origin->NextSiblingElement("origin"));
    }
  }
  return to_text(document);
}

}  // namespace steelyard::oracle
