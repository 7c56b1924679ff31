#include "steelyard/core/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "steelyard/core/utf8.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

constexpr std::size_t kLongestWord = 64;    // longer words are not typing errors
constexpr std::size_t kLongListNames = 16;  // a list of more names is left out when there is a suggestion
constexpr std::size_t kMaxNames = 40;       // no list of names is longer

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower(c);
  return result;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = b.size();
  std::vector<int> before(n + 1), last(n + 1), row(n + 1);
  for (std::size_t j = 0; j <= n; ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= n; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[n];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const int near = word.size() == 1 ? 0 : std::clamp(static_cast<int>(word.size()) / 3, 1, 3);
  const std::string lowered = lower(word);
  const std::string* best = nullptr;
  int best_distance = near + 1;
  for (const std::string& candidate : candidates) {
    const auto longer = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (longer > static_cast<std::size_t>(near)) continue;
    const int distance = edit_distance(lowered, lower(candidate));
    if (distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto name = nearest(word, candidates);
  return name ? "did you mean " + quoted(*name) + "?" : std::string();
}

Complaint unknown(std::string_view kind, std::string_view word, std::span<const std::string> candidates,
                  Place place) {
  Complaint complaint;
  complaint.what = "unknown " + std::string(kind) + " " + quoted(word);
  complaint.place = std::move(place);
  complaint.remedy = did_you_mean(word, candidates);
  if (candidates.empty() || (candidates.size() > kLongListNames && !complaint.remedy.empty()))
    return complaint;
  complaint.limit = "known:";
  for (std::size_t i = 0; i < std::min(candidates.size(), kMaxNames); ++i) {
    complaint.limit += (i == 0 ? " " : ", ") + candidates[i];
  }
  if (candidates.size() > kMaxNames) complaint.limit += ", …";
  if (complaint.remedy.empty()) complaint.remedy = "use one of these";
  return complaint;
}

std::string Quoted::operator()(std::string_view text, std::size_t longest) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result = "'";
  const std::size_t whole = text.size();
  std::size_t used = 0;
  while (used < whole && used < longest) {
    const std::size_t length = utf8_length(text.substr(used));
    const auto head = static_cast<unsigned char>(text[used]);
    if (length == 0 || head < 0x20 || head == 0x7F) {
      result += {'\\', 'x', kDigits[head >> 4], kDigits[head & 15]};
      used += 1;
    } else {
      result += text.substr(used, length);
      used += length;
    }
  }
  if (used < whole) result += "…";
  return result + "'";
}

}  // namespace steelyard
