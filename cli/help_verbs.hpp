// The verbs that help with the others: a first study, completion, the manual page, what is installed.
#pragma once

#include "verbs.hpp"

namespace cli {

Run add_init(Arguments& verb);        // init.cpp
Run add_about(Arguments& verb);       // about.cpp
Run add_completion(Arguments& verb);  // describe.cpp
Run add_man(Arguments& verb);         // describe.cpp

}  // namespace cli
