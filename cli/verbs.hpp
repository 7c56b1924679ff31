// The verbs of the program: each adds its options to the command line and gives the function that runs it.
#pragma once

#include <functional>
#include <memory>

#include "arguments.hpp"
#include "options.hpp"

namespace cli {

using Run = std::function<int(const CommonOptions&)>;

Run add_run(Arguments& verb);       // run.cpp
Run add_identify(Arguments& verb);  // run.cpp
Run add_validate(Arguments& verb);  // validate.cpp
Run add_forecast(Arguments& verb);  // forecast.cpp
Run add_retrieve(Arguments& verb);  // retrieve.cpp
Run add_check(Arguments& verb);     // check.cpp
Run add_simulate(Arguments& verb);  // files.cpp
Run add_signs(Arguments& verb);     // signs.cpp
Run add_fold(Arguments& verb);      // files.cpp
Run add_merge(Arguments& verb);     // merge.cpp
Run add_report(Arguments& verb);    // report.cpp
Run add_reverse(Arguments& verb);   // reverse.cpp
Run add_model(Arguments& verb);     // model.cpp
Run add_export(Arguments& verb);    // export.cpp
Run add_convert(Arguments& verb);   // convert.cpp
Run add_excite(Arguments& verb);    // excite.cpp
Run add_next(Arguments& verb);      // excite.cpp
Run add_gains(Arguments& verb);     // gains.cpp
Run add_fleet(Arguments& verb);     // fleet.cpp

}  // namespace cli
