// steelyard simulate STUDY: writes the logs of the study's simulated runs as CSV files.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "options.hpp"

namespace cli {

struct SimulateVerbOptions {
  std::string study;
};

void add_options(CLI::App& verb, SimulateVerbOptions& options);
int run_simulate(const SimulateVerbOptions& options, const CommonOptions& common);

}  // namespace cli
