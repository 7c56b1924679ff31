// The verbs of the program: each adds its options to the command line and gives the function that runs it.
#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "options.hpp"

namespace cli {

using Run = std::function<int(const CommonOptions&)>;

Run add_run(CLI::App& verb);       // run.cpp
Run add_identify(CLI::App& verb);  // run.cpp
Run add_validate(CLI::App& verb);  // validate.cpp
Run add_retrieve(CLI::App& verb);  // retrieve.cpp
Run add_check(CLI::App& verb);     // check.cpp
Run add_simulate(CLI::App& verb);  // files.cpp
Run add_signs(CLI::App& verb);     // signs.cpp
Run add_fold(CLI::App& verb);      // files.cpp
Run add_merge(CLI::App& verb);     // merge.cpp
Run add_report(CLI::App& verb);    // report.cpp
Run add_reverse(CLI::App& verb);   // reverse.cpp
Run add_model(CLI::App& verb);     // model.cpp
Run add_export(CLI::App& verb);    // export.cpp
Run add_convert(CLI::App& verb);   // convert.cpp
Run add_excite(CLI::App& verb);    // excite.cpp
Run add_next(CLI::App& verb);      // excite.cpp
Run add_gains(CLI::App& verb);     // gains.cpp
Run add_fleet(CLI::App& verb);     // fleet.cpp

}  // namespace cli
