// steelyard simulate STUDY: writes the logs of the study's simulated runs as CSV files.
// steelyard fold STUDY: writes the folds of all runs as fold files.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "options.hpp"

namespace cli {

struct FilesOptions {
  std::string study;
};

void add_simulate_options(CLI::App& verb, FilesOptions& options);
void add_fold_options(CLI::App& verb, FilesOptions& options);
int run_simulate(const FilesOptions& options, const CommonOptions& common);
int run_fold(const FilesOptions& options, const CommonOptions& common);

}  // namespace cli
