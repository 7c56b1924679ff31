#include "steelyard/report/page.hpp"

#include <array>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/report/assets.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

std::string base64(const std::array<std::uint8_t, 32>& bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0u);
    for (int shift = 18; shift >= 0; shift -= 6) text += kLetters[group >> shift & 63];
  }
  text.back() = '=';  // 32 bytes leave one letter to pad
  return text;
}

}  // namespace

std::string source_hash(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return "'sha256-" + base64(sum.finish()) + "'";
}

std::string fill(std::string_view page, const PageParts& parts) {
  std::string text;
  while (true) {
    const std::size_t begin = page.find("{{");
    text += page.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    const std::size_t end = page.find("}}", begin);
    require(end != std::string_view::npos, "a name in the page's template does not end");
    const std::string_view name = page.substr(begin + 2, end - begin - 2);
    bool known = false;
    for (const auto& [key, value] : parts) {
      if (key != name) continue;
      text += value;
      known = true;
    }
    require(known, "the page's template holds an unknown name");
    page.remove_prefix(end + 2);
  }
}

std::string web_page(const std::string& title, const std::string& plain, const std::string& data) {
  if (assets::web_js.empty())
    throw MachineError({"this program was built without the interactive page",
                        {},
                        "",
                        "build it with npm: -DSTEELYARD_WEB=ON"});
  const std::string policy = "default-src 'none'; style-src " + source_hash(assets::web_css) + " " +
                             source_hash(assets::report_css) + "; script-src " + source_hash(assets::web_js);
  return fill(assets::web_html, {{"title", title},
                                 {"policy", policy},
                                 {"style", std::string(assets::web_css)},
                                 {"plain_style", std::string(assets::report_css)},
                                 {"plain", plain},
                                 {"data", data},
                                 {"script", std::string(assets::web_js)}});
}

}  // namespace steelyard
