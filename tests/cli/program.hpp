// Runs the built program as a user would: a process of its own, its exit code, its two streams.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace program {

struct Outcome {
  int code = -1;  // as a shell shows it: 128 + n when signal n ended the program
  std::string out;
  std::string err;
};

// `command[0]` is looked up in PATH. Standard output goes to `out_path` when one is given ("/dev/full").
Outcome run(const std::vector<std::string>& command, const std::string& out_path = "");

// build/steelyard with these arguments.
Outcome steelyard(const std::vector<std::string>& arguments, const std::string& out_path = "");

// `steelyard model … --json`; the test fails unless the exit code is `expected_code` and the output is JSON.
nlohmann::ordered_json model(std::vector<std::string> arguments, int expected_code = 0);

std::string robot(const std::string& name);    // path of robots/NAME.yaml
std::string fixture(const std::string& name);  // path of tests/data/robots/NAME

// Writes `text` to a file in the test's own temporary folder and returns its path.
std::string write_file(const std::string& name, const std::string& text);

}  // namespace program
