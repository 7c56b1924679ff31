#include "robot/urdf_xml.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cstring>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kRunXacro = "run xacro first: xacro robot.urdf.xacro > robot.urdf";

bool is_macro(const std::string& text) {
  return text.find("${") != std::string::npos || text.find("$(") != std::string::npos;
}

// An attribute xmlns:xacro alone is no evidence: xacro leaves it in its output.
void refuse_xacro(const UrdfContext& context, const tinyxml2::XMLElement& element) {
  for (const auto* e = element.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    if (std::strncmp(e->Name(), "xacro:", 6) != 0) continue;
    context.fail(*e, fmt::format("element <{}> belongs to xacro", e->Name()), "plain URDF", kRunXacro);
  }
}

std::string raw_attribute(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name) {
  std::string text = element.Attribute(name);
  if (is_macro(text)) {
    context.fail(element, fmt::format("attribute {}={} is a xacro expression", name, quoted(text)),
                 "plain URDF", kRunXacro);
  }
  return text;
}

// XML_ERROR_PARSING_ELEMENT reads "error parsing element".
std::string parse_error_of(const tinyxml2::XMLDocument& document) {
  std::string text = tinyxml2::XMLDocument::ErrorIDToName(document.ErrorID());
  if (text.starts_with("XML_")) text = text.substr(4);
  for (char& c : text) c = c == '_' ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

double to_finite(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                 const std::string& text) {
  const NumberOrReason result = plain_number_from(text);
  if (!result.reason.empty()) {
    context.fail(element,
                 fmt::format("attribute {} of <{}>: {} is not a number: {}", name, element.Name(),
                             quoted(text), result.reason),
                 "a finite decimal number", "correct the number");
  }
  return result.value;
}

}  // namespace

Place UrdfContext::place(const tinyxml2::XMLElement& element) const {
  return {file, element.GetLineNum(), 0, owner};
}

void UrdfContext::fail(const tinyxml2::XMLElement& element, std::string what, std::string limit,
                       std::string remedy) const {
  throw InputError({std::move(what), place(element), std::move(limit), std::move(remedy)});
}

const tinyxml2::XMLElement& parse_xml(const std::string& text, const UrdfContext& context,
                                      tinyxml2::XMLDocument& document, const std::string& name) {
  const std::string wanted = fmt::format("{} <{}>", name == "robot" ? "a URDF" : "an MJCF", name);
  const std::string see = "see docs/robot.md for what is read";
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError({"file is empty", {context.file, 1, 0, ""}, wanted, see});
  }
  if (text.find('\0') != std::string::npos) {
    throw InputError({"file is binary: it contains zero bytes", {context.file, 1, 0, ""}, "XML text", see});
  }
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    throw InputError({fmt::format("not valid XML: {}", parse_error_of(document)),
                      {context.file, document.ErrorLineNum(), 0, ""},
                      "",
                      "check that the file is complete and every element is closed"});
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (root == nullptr || name != root->Name()) {
    throw InputError({fmt::format("the root element is not <{}> but {}", name,
                                  root == nullptr ? "nothing" : quoted(root->Name())),
                      {context.file, root == nullptr ? 1 : root->GetLineNum(), 0, ""},
                      wanted,
                      see});
  }
  refuse_xacro(context, *root);
  return *root;
}

std::vector<const tinyxml2::XMLElement*> children(const tinyxml2::XMLElement& element, const char* name) {
  std::vector<const tinyxml2::XMLElement*> found;
  for (const auto* e = element.FirstChildElement(name); e != nullptr; e = e->NextSiblingElement(name))
    found.push_back(e);
  return found;
}

const tinyxml2::XMLElement* child(UrdfContext& context, const tinyxml2::XMLElement& element,
                                  const char* name) {
  refuse_xacro(context, element);
  const tinyxml2::XMLElement* first = element.FirstChildElement(name);
  if (first == nullptr) return nullptr;
  if (const auto* second = first->NextSiblingElement(name)) {
    context.warnings.push_back(
        {fmt::format("<{}> has more than one <{}>; the first one is used", element.Name(), name),
         context.place(*second), "one", "remove the others"});
  }
  return first;
}

bool has_attribute(const tinyxml2::XMLElement& element, const char* name) {
  return element.Attribute(name) != nullptr;
}

std::string attribute(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name) {
  if (!has_attribute(element, name) || *element.Attribute(name) == 0) {
    context.fail(element, fmt::format("<{}> has no attribute '{}'", element.Name(), name), "",
                 fmt::format("write <{} {}=\"...\">", element.Name(), name));
  }
  return raw_attribute(context, element, name);
}

double number(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name) {
  return to_finite(context, element, name, attribute(context, element, name));
}

double number_or(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                 double absent) {
  return has_attribute(element, name) ? number(context, element, name) : absent;
}

Vector3 triple_or(const UrdfContext& context, const tinyxml2::XMLElement& element, const char* name,
                  const Vector3& absent) {
  if (!has_attribute(element, name)) return absent;
  const std::string text = raw_attribute(context, element, name);
  const std::vector<std::string> words = words_of(text);
  if (words.size() != 3) {
    context.fail(element,
                 fmt::format("attribute {}={} of <{}> has {} numbers", name, quoted(text), element.Name(),
                             words.size()),
                 "three numbers", "give x, y and z separated by spaces");
  }
  Vector3 vector;
  for (int i = 0; i < 3; ++i) vector[i] = to_finite(context, element, name, words[i]);
  return vector;
}

}  // namespace steelyard
