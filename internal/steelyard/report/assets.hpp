// The files of src/report/assets and the page of web/, put into the program by embed.cmake. The names of web/
// are empty in programs built without it.
#pragma once

#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace assets {

extern const std::string_view page_html;
extern const std::string_view report_css;
extern const std::string_view errors_js;
extern const std::string_view tables_js;
extern const std::string_view curves_js;
extern const std::string_view web_html;
extern const std::string_view web_css;
extern const std::string_view web_js;

}  // namespace assets
}  // namespace steelyard
