// steelyard model ROBOT: frames, parameters, limits, and what of them motion can show.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace cli {

struct ModelOptions {
  std::string robot;
  std::string rows = "torque";
  std::vector<std::string> zero;
  bool no_drives = false;
  bool no_expressions = false;
  bool latex = false;
};

void add_options(CLI::App& verb, ModelOptions& options);
int run_model(const ModelOptions& options, const CommonOptions& common);

}  // namespace cli
