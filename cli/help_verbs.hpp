// The verbs that help with the others: a first study, completion, the manual page, what is installed.
#pragma once

#include <string>

#include "verbs.hpp"

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace cli {

Run add_init(Arguments& verb);        // init.cpp
Run add_about(Arguments& verb);       // about.cpp
Run add_completion(Arguments& verb);  // describe.cpp
Run add_man(Arguments& verb);         // describe.cpp

// describe.cpp: a command line that cannot be parsed, in the words of every other refusal.
std::string command_line_problem(const CLI::App* app, const CLI::Error& error);

}  // namespace cli
