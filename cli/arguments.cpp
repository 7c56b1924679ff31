#include "arguments.hpp"

#include <CLI/CLI.hpp>

namespace cli {

Argument& Argument::required() {
  option_.required();
  return *this;
}

Argument& Argument::with_default() {
  option_.capture_default_str();
  return *this;
}

Argument& Argument::separated_by(char sign) {
  option_.delimiter(sign);
  return *this;
}

Argument& Argument::between(int min, int max) {
  option_.check(CLI::Range(min, max));
  return *this;
}

Argument& Argument::one_of(std::vector<std::string> words) {
  option_.check(CLI::IsMember(std::move(words)));
  return *this;
}

Argument& Argument::unless(std::function<std::string(const std::string&)> refuse) {
  option_.check(std::move(refuse));
  return *this;
}

Argument Arguments::add(const std::string& name, std::string& value, const std::string& about) {
  return Argument(*verb_.add_option(name, value, about));
}

Argument Arguments::add(const std::string& name, std::vector<std::string>& values, const std::string& about) {
  return Argument(*verb_.add_option(name, values, about));
}

Argument Arguments::add(const std::string& name, int& value, const std::string& about) {
  return Argument(*verb_.add_option(name, value, about));
}

Argument Arguments::add(const std::string& name, double& value, const std::string& about) {
  return Argument(*verb_.add_option(name, value, about));
}

Argument Arguments::add(const std::string& name, std::vector<double>& values, const std::string& about) {
  return Argument(*verb_.add_option(name, values, about));
}

void Arguments::add_flag(const std::string& name, bool& value, const std::string& about) {
  verb_.add_flag(name, value, about);
}

void Arguments::footer(const std::string& text) {
  verb_.footer(text);
}

std::string Arguments::verb_name() const {
  return verb_.get_name();
}

CLI::App& Arguments::program() const {
  return *verb_.get_parent();
}

}  // namespace cli
