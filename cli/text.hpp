// Lines that fit the terminal, and colours where there is one.
#pragma once

#include <string>

namespace cli {

// The text in lines of at most 80 characters, broken at spaces, not before %; later lines with their own indent.
std::string wrapped(const std::string& text, const std::string& first, const std::string& later);

enum class Colour { red, yellow, green };

// On a terminal; plain text elsewhere, and when NO_COLOR is set (no-color.org) or the terminal is dumb.
std::string coloured(Colour colour, const std::string& text);

// Breaks a long expression at its blanks; continuation lines are indented.
std::string wrapped_expression(const std::string& text, std::size_t indent);

}  // namespace cli
