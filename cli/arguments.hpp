// The command line of a verb, as the verb sees it. CLI11, whose headers take longer to compile than a verb,
// is seen by three files only.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cli {

class Argument {
 public:
  explicit Argument(CLI::Option& option) : option_(option) {}
  Argument& required();
  Argument& with_default();           // help shows the value that it has now
  Argument& separated_by(char sign);  // several values in one word
  Argument& between(int min, int max);
  Argument& one_of(std::vector<std::string> words);
  // `refuse` gives the reason; empty: the text is taken.
  Argument& unless(std::function<std::string(const std::string&)> refuse);

 private:
  CLI::Option& option_;
};

// Values must live until the command line is parsed. Names without a dash are positional.
class Arguments {
 public:
  explicit Arguments(CLI::App& verb) : verb_(verb) {}
  Argument add(const std::string& name, std::string& value, const std::string& about);
  Argument add(const std::string& name, std::vector<std::string>& values, const std::string& about);
  Argument add(const std::string& name, int& value, const std::string& about);
  Argument add(const std::string& name, double& value, const std::string& about);
  Argument add(const std::string& name, std::vector<double>& values, const std::string& about);
  void add_flag(const std::string& name, bool& value, const std::string& about);
  void footer(const std::string& text);
  std::string verb_name() const;
  CLI::App& program() const;  // the whole command line

 private:
  CLI::App& verb_;
};

}  // namespace cli
