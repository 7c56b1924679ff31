#include "xml_text.hpp"

#include <algorithm>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// Behind the next `mark` from `at` on.
std::size_t behind(const std::string& text, std::string_view mark, std::size_t at) {
  const std::size_t found = text.find(mark, at);
  require(found != std::string::npos, "XML that was read before has an open end");
  return found + mark.size();
}

// Attributes of the start tag whose name ends at `at`; returns where its '>' or '/>' begins.
std::size_t scan_attributes(const std::string& text, std::size_t at, XmlElement& element) {
  for (;;) {
    at = text.find_first_not_of(kBlank, at);
    require(at != std::string::npos, "XML that was read before ends in a tag");
    if (text[at] == '>' || text[at] == '/') return at;
    const std::size_t name_end = text.find_first_of(" \t\r\n=", at),
                      open = text.find_first_of("\"'", name_end);
    require(open != std::string::npos, "XML that was read before has an attribute without a value");
    const std::size_t close = behind(text, std::string_view(&text[open], 1), open + 1) - 1;
    element.attributes.push_back({text.substr(at, name_end - at), open + 1, close});
    at = close + 1;
  }
}

}  // namespace

const XmlAttribute* XmlElement::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [wanted](const XmlAttribute& item) { return item.name == wanted; });
  return found == attributes.end() ? nullptr : &*found;
}

XmlText::XmlText(std::string text) : text_(std::move(text)) {
  std::vector<int> open;
  std::size_t at = 0;
  while ((at = text_.find('<', at)) != std::string::npos) {
    const std::string_view rest = std::string_view(text_).substr(at);
    if (rest.starts_with("<!--")) {
      at = behind(text_, "-->", at + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      at = behind(text_, "]]>", at);
    } else if (rest.starts_with("<?")) {
      at = behind(text_, "?>", at);
    } else if (rest.starts_with("<!")) {
      at = behind(text_, ">", at);
    } else if (rest.starts_with("</")) {
      require(!open.empty(), "XML that was read before closes what is not open");
      at = behind(text_, ">", at);
      elements_[static_cast<std::size_t>(open.back())].end = at;
      open.pop_back();
    } else {
      XmlElement element;
      element.begin = at;
      const std::size_t name_end = text_.find_first_of(" \t\r\n/>", at + 1);
      require(name_end != std::string::npos, "XML that was read before ends in a tag");
      element.name = text_.substr(at + 1, name_end - at - 1);
      element.parent = open.empty() ? -1 : open.back();
      const std::size_t tag = scan_attributes(text_, name_end, element);
      element.is_empty = text_[tag] == '/';
      element.tag_end = element.end = at = behind(text_, ">", tag);
      const int id = static_cast<int>(elements_.size());
      if (element.parent >= 0) elements_[static_cast<std::size_t>(element.parent)].children.push_back(id);
      if (!element.is_empty) open.push_back(id);
      elements_.push_back(std::move(element));
    }
  }
  require(open.empty(), "XML that was read before leaves an element open");
}

std::string XmlText::value(const XmlElement& element, std::string_view attribute) const {
  const XmlAttribute* found = element.attribute(attribute);
  return found == nullptr ? std::string() : text_.substr(found->begin, found->end - found->begin);
}

const XmlElement* XmlText::child(const XmlElement& element, std::string_view name) const {
  for (const int id : element.children)
    if (elements_[static_cast<std::size_t>(id)].name == name) return &elements_[static_cast<std::size_t>(id)];
  return nullptr;
}

std::string XmlText::indentation(const XmlElement& element) const {
  const std::size_t line = text_.rfind('\n', element.begin);
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  const std::string before = text_.substr(start, element.begin - start);
  return before.find_first_not_of(" \t") == std::string::npos ? before : std::string();
}

void TextPatch::replace(std::size_t begin, std::size_t end, std::string text) {
  pieces_.push_back({begin, end, std::move(text)});
}

std::string TextPatch::applied_to(const std::string& text) const {
  std::vector<Piece> pieces = pieces_;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t at = 0;
  for (const Piece& piece : pieces) {
    require(piece.begin >= at, "replacements in a text overlap");
    out.append(text, at, piece.begin - at).append(piece.text);
    at = piece.end;
  }
  return out.append(text, at, std::string::npos);
}

}  // namespace steelyard
