#include "steelyard/core/error.hpp"

#include <utility>

namespace steelyard::inline STEELYARD_ABI {

std::string Place::to_string() const {
  std::string text = file;
  if (line > 0) {
    text += (text.empty() ? "line " : ":") + std::to_string(line);
    if (column > 0) text += ":" + std::to_string(column);
  }
  if (!joint.empty()) text += (text.empty() ? "'" : ", '") + joint + "'";
  return text;
}

std::string Complaint::to_string() const {
  std::string text = place.to_string();
  if (!text.empty()) text += ": ";
  text += what;
  if (!limit.empty()) text += " (" + limit + ")";
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

Error::Error(Complaint complaint)
    : std::runtime_error(complaint.to_string()), complaint_(std::move(complaint)) {}

void require(bool invariant, const char* text) {
  if (!invariant) throw InternalError(text);
}

}  // namespace steelyard
