// Where the elements and attribute values of an XML text stand, by byte, so that single values can be
// replaced and every other byte stays. For text that a real XML reader has accepted; entities in names are
// not looked at.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct XmlAttribute {
  std::string name;
  std::size_t begin = 0, end = 0;  // of the value, without its quotes
};

struct XmlElement {
  std::string name;
  int parent = -1;
  std::vector<int> children;
  std::vector<XmlAttribute> attributes;
  std::size_t begin = 0;    // of '<'
  std::size_t tag_end = 0;  // behind the '>' of the start tag
  std::size_t end = 0;      // behind the whole element
  bool is_empty = false;    // <name …/>

  const XmlAttribute* attribute(std::string_view wanted) const;
};

class XmlText {
 public:
  explicit XmlText(std::string text);

  const std::string& text() const { return text_; }
  const std::vector<XmlElement>& elements() const { return elements_; }  // in the order of their start tags
  std::string value(const XmlElement& element, std::string_view attribute) const;   // empty: not there
  const XmlElement* child(const XmlElement& element, std::string_view name) const;  // the first; null: none
  std::string indentation(const XmlElement& element) const;  // blanks before it on its line

 private:
  std::string text_;
  std::vector<XmlElement> elements_;
};

// Replacements that do not overlap, applied at once.
class TextPatch {
 public:
  void replace(std::size_t begin, std::size_t end, std::string text);
  std::string applied_to(const std::string& text) const;

 private:
  struct Piece {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Piece> pieces_;
};

}  // namespace steelyard
