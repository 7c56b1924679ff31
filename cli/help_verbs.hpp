// The verbs that help with the others: a first study, completion, the manual page.
#pragma once

#include "verbs.hpp"

namespace cli {

Run add_init(CLI::App& verb);        // init.cpp
Run add_completion(CLI::App& verb);  // describe.cpp
Run add_man(CLI::App& verb);         // describe.cpp

}  // namespace cli
