// The files of src/report/assets, put into the program by embed.cmake.
#pragma once

#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace assets {

extern const std::string_view page_html;
extern const std::string_view report_css;
extern const std::string_view errors_js;
extern const std::string_view tables_js;
extern const std::string_view curves_js;

}  // namespace assets
}  // namespace STEELYARD_ABI
}  // namespace steelyard
