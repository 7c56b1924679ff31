#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace program {
namespace {

// One folder a process: ctest runs tests side by side.
std::string temporary(const std::string& name) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("steelyard-cli-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

class RemoveTemporary : public testing::Environment {
 public:
  void TearDown() override {
    std::filesystem::remove_all(std::filesystem::path(temporary("x")).parent_path());
  }
};
const auto* const registered = testing::AddGlobalTestEnvironment(new RemoveTemporary);

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

Outcome run(const std::vector<std::string>& command, const std::string& out_path) {
  const std::string out = out_path.empty() ? temporary("out") : out_path, err = temporary("err");
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot run " + command[0] + ": " + std::strerror(failed));

  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Outcome outcome;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (out_path.empty()) outcome.out = contents(out);
  outcome.err = contents(err);
  return outcome;
}

Outcome steelyard(const std::vector<std::string>& arguments, const std::string& out_path) {
  std::vector<std::string> command = {STEELYARD_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, out_path);
}

nlohmann::ordered_json model(std::vector<std::string> arguments, int expected_code) {
  arguments.insert(arguments.begin(), "model");
  arguments.emplace_back("--json");
  const Outcome outcome = steelyard(arguments);
  EXPECT_EQ(outcome.code, expected_code) << outcome.err;
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << "not JSON: " << outcome.out.substr(0, 200);
  return json.is_discarded() ? nlohmann::ordered_json::object() : json;
}

std::string robot(const std::string& name) {
  return std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml";
}

std::string fixture(const std::string& name) {
  return std::string(STEELYARD_SOURCE_DIR) + "/tests/data/robots/" + name;
}

std::string write_file(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace program
