// steelyard run STUDY: the whole way from logs to result.json and report.html. steelyard identify: without
// the report.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "options.hpp"

namespace cli {

struct RunOptions {
  std::string study;
  bool report = true;
};

void add_options(CLI::App& verb, RunOptions& options);
int run_study_verb(const RunOptions& options, const CommonOptions& common);

}  // namespace cli
