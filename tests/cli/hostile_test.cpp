// Inputs made to exhaust the program: refused within two seconds and half a gigabyte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "oracle/sanitized.hpp"
#include "program.hpp"

namespace hostile_test {

using program::Outcome;

const int kMaxSeconds = steelyard::oracle::is_sanitized() ? 60 : 5;

// Under a limit on memory, where no sanitizer needs terabytes of address space for itself.
Outcome limited(const std::vector<std::string>& arguments) {
  if (steelyard::oracle::is_sanitized()) return program::steelyard(arguments);
  std::vector<std::string> command = {"sh", "-c", "ulimit -v 524288; exec \"$0\" \"$@\"", STEELYARD_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return program::run(command);
}

void expect_refused_quickly(const std::vector<std::string>& arguments, const std::string& words) {
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = limited(arguments);
  // Seconds on an idle machine; busy ones and sanitizers need more.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(kMaxSeconds));
  EXPECT_EQ(outcome.code, 2) << words << "\n" << outcome.err.substr(0, 500);
  EXPECT_THAT(outcome.err, testing::HasSubstr(words));
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

TEST(Hostile, DeepYamlIsRefusedQuickly) {
  for (const char* open : {"[", "{a: ", "- "})
    expect_refused_quickly({"model", program::write_file("deep.yaml", "joints: " + repeated(open, 300000))},
                           "deep.yaml:");
  expect_refused_quickly({"check", program::write_file("deep.yaml", repeated("? ", 300000))}, "deep.yaml:");
}

TEST(Hostile, AliasBombsAreRefusedQuickly) {
  std::string text = "a0: &a0 [1, 2]\n";
  for (int k = 1; k < 40; ++k) {
    const std::string below = "*a" + std::to_string(k - 1), own = "a" + std::to_string(k);
    text += own + ": &" + own + " [" + below + ", " + below + "]\n";
  }
  expect_refused_quickly({"check", program::write_file("bomb.yaml", text)}, "anchors");
}

TEST(Hostile, DeepXmlAndJsonAreRefusedQuickly) {
  expect_refused_quickly(
      {"model", program::write_file("deep.urdf", "<robot name=\"r\">" + repeated("<link>", 300000))},
      "deep.urdf");
  expect_refused_quickly({"report", program::write_file("deep.json", repeated("{\"a\":", 300000))},
                         "deep.json");
}

TEST(Hostile, GiganticNumbersAreRefusedQuickly) {
  const std::string digits(200000, '9');
  expect_refused_quickly(
      {"check", program::write_file("study.yaml", "robot: r.yaml\nseed: " + digits + "\n")}, "study.yaml:2");
  expect_refused_quickly({"check", program::write_file("study.yaml", "robot: r.yaml\nseed: 10^10^10\n")},
                         "study.yaml:2");
  const std::string run =
      "robot: " + program::robot("two_r") +
      "\nruns:\n  - simulate: {motion: {multi_sine: {harmonics: 3, period: PERIOD, reach: [1, 1], "
      "center: [0, 0], velocity: 2, acceleration: 8}}, rate: RATE}\n";
  const auto with = [&](const std::string& period, const std::string& rate) {
    std::string text = run;
    text.replace(text.find("PERIOD"), 6, period);
    text.replace(text.find("RATE"), 4, rate);
    return program::write_file("study.yaml", text);
  };
  expect_refused_quickly({"check", with("2", "1e12")}, "rate = 1e12");
  expect_refused_quickly({"check", with("1e9", "1000")}, "period = 1e9");
}

TEST(Hostile, ABillionColumnsAreRefusedQuickly) {
  const std::string study = "robot: " + program::robot("two_r") +
                            "\nruns: [{file: log.ENDING, rate: 100, columns: {position: 'log[{j}]', torque: "
                            "'log[{j+2}]'}}]\n";
  const auto with = [&](const std::string& ending) {
    std::string text = study;
    text.replace(text.find("ENDING"), 6, ending);
    return program::write_file("study.yaml", text);
  };
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1000000000), }";
  header.resize(118, ' ');
  program::write_file("log.npy", std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header);
  expect_refused_quickly({"check", with("npy")}, "log.npy");
  // As many commas as a line may have, then more.
  program::write_file("log.csv", std::string(17 << 20, ','));
  expect_refused_quickly({"check", with("csv")}, "log.csv");
}

// Expressions have no way to files, no loops, and bounded size.
TEST(Hostile, ExpressionsCannotReadFilesLoopOrGrow) {
  const auto with = [](const std::string& expression) {
    return program::write_file(
        "robot.yaml", "convention: standard_dh\njoints: [{a: \"" + expression + "\", alpha: 0, d: 0}]\n");
  };
  for (const char* text : {"read(1)", "open('/etc/passwd')", "include(x)", "`id`", "$(id)", "exec(1)",
                           "for(i, 1, 1e9)", "while(1)", "${HOME}"})
    expect_refused_quickly({"model", with(text)}, "robot.yaml:2");
  expect_refused_quickly({"model", with(std::string(100000, '('))}, "robot.yaml:2");
  expect_refused_quickly({"model", with("1" + repeated("+1", 30000))}, "robot.yaml:2");
  expect_refused_quickly({"model", with("9" + repeated("^9", 150))}, "robot.yaml:2");
}

}  // namespace hostile_test
