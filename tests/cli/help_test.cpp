// The program explains itself: examples that it can parse, help that fits a terminal, completion and manual
// page from the same tree of verbs and options, colours on terminals only.
#include <gmock/gmock.h>
#include <unistd.h>

#include <sstream>

#include "program.hpp"

namespace help_test {

using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kRoot = STEELYARD_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Commands of a help text: lines "  steelyard …", without what stands behind two spaces or a redirection.
std::vector<std::vector<std::string>> examples_of(const std::string& help) {
  std::vector<std::vector<std::string>> commands;
  for (const std::string& line : lines_of(help)) {
    if (!line.starts_with("  steelyard ")) continue;
    std::string command = line.substr(12);
    command = command.substr(0, command.find("  "));
    command = command.substr(0, command.find(" > "));
    std::vector<std::string> words = {"--parse-only"};
    std::istringstream stream(command);
    for (std::string word; stream >> word;) words.push_back(word);
    commands.push_back(words);
  }
  return commands;
}

// From the completion, which is made from the tree itself.
std::vector<std::string> all_verbs() {
  std::vector<std::string> verbs;
  for (const std::string& line : lines_of(steelyard({"completion", "bash"}).out))
    if (const auto end = line.find(") options="); end != std::string::npos)
      verbs.push_back(line.substr(4, end - 4));
  return verbs;
}

std::size_t characters_of(const std::string& line) {
  std::size_t count = 0;
  for (char c : line) count += (c & 0xC0) != 0x80;
  return count;
}

TEST(Help, OfTheProgramAloneHasThreeExamplesItCanParse) {
  const auto examples = examples_of(steelyard({}).out);
  EXPECT_EQ(examples.size(), 3u);
  for (const auto& example : examples)
    EXPECT_EQ(steelyard(example).code, 0) << testing::PrintToString(example);
}

TEST(Help, OfEveryVerbEndsWithAnExampleItCanParse) {
  const std::vector<std::string> verbs = all_verbs();
  EXPECT_GE(verbs.size(), 15u);
  for (const std::string& verb : verbs) {
    const Outcome help = steelyard({verb, "--help"});
    EXPECT_EQ(help.code, 0) << verb;
    const auto examples = examples_of(help.out);
    EXPECT_FALSE(examples.empty()) << verb;
    for (const auto& example : examples) {
      EXPECT_EQ(example[1], verb);
      EXPECT_EQ(steelyard(example).code, 0) << testing::PrintToString(example);
    }
    std::string last;
    for (const std::string& line : lines_of(help.out))
      if (!line.empty()) last = line;
    EXPECT_TRUE(last.starts_with("  steelyard ")) << verb << ": " << last;
  }
}

TEST(Help, ParsesOnlyRealCommands) {
  EXPECT_EQ(steelyard({"--parse-only", "run"}).code, 2);
  EXPECT_EQ(steelyard({"--parse-only", "run", "a.yaml", "--owt", "x"}).code, 2);
}

TEST(Completion, IsBashThatCompletesVerbsAndOptions) {
  const std::string script = program::write_file("steelyard.bash", steelyard({"completion", "bash"}).out);
  const std::string ask = "source " + script +
                          "; COMP_WORDS=(steelyard va); COMP_CWORD=1; _steelyard; echo ${COMPREPLY[@]};"
                          " COMP_WORDS=(steelyard init --re); COMP_CWORD=2; _steelyard; echo ${COMPREPLY[@]}";
  const Outcome outcome = program::run({"bash", "-c", ask});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "validate\n--replace\n");
  EXPECT_THAT(steelyard({"completion", "zsh"}).out, HasSubstr("#compdef steelyard"));
  EXPECT_EQ(steelyard({"completion", "fish"}).code, 2);
}

TEST(ManPage, HasEveryVerb) {
  const std::string page = steelyard({"man"}).out;
  EXPECT_TRUE(page.starts_with(".TH STEELYARD 1"));
  for (const std::string& verb : all_verbs()) EXPECT_THAT(page, HasSubstr("\n.SS " + verb + "\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS"));
}

TEST(Text, OfStudiesAndModelsFitsEightyColumns) {
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"check", kRoot + "/examples/two-r-retrieve/study.yaml"},
                                             {"model", kRoot + "/robots/tx40.yaml"},
                                             {"model", kRoot + "/robots/panda.yaml"}}) {
    const Outcome outcome = steelyard(command);
    for (const std::string& line : lines_of(outcome.out)) EXPECT_LE(characters_of(line), 80u) << line;
  }
}

TEST(Colour, IsOnlyOnTerminalsAndNotWithNoColor) {
  if (access("/usr/bin/script", X_OK) != 0) GTEST_SKIP() << "skipped: no /usr/bin/script to make a terminal";
  const std::string study =
      program::write_file("study.yaml", "robot: " + kRoot +
                                            "/robots/two_r.yaml\nruns:\n  - simulate:\n      motion: "
                                            "{multi_sine: {harmonics: 2, period: 2, center: [0, 0], "
                                            "reach: [0.1, 0.1], seed: 3}}\n      rate: 100\n");
  const std::string command =
      std::string(STEELYARD_PROGRAM) + " run " + study + " --out " + program::write_file("x", "") + "-out";
  EXPECT_THAT(program::run({"env", "TERM=xterm", "NO_COLOR=", "script", "-qec", command, "/dev/null"}).out,
              HasSubstr("Verdict: \033["));
  EXPECT_THAT(program::run({"env", "TERM=xterm", "NO_COLOR=1", "script", "-qec", command, "/dev/null"}).out,
              Not(HasSubstr("Verdict: \033[")));
  EXPECT_THAT(program::run({"sh", "-c", command}).out, Not(HasSubstr("\033[")));
}

TEST(CommandLine, FaultsAreNamedWithWhatWasPerhapsMeant) {
  const auto problem = [](const std::vector<std::string>& words) {
    const Outcome outcome = steelyard(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    return outcome.err;
  };
  EXPECT_THAT(problem({"rnu", "study.yaml"}),
              HasSubstr("steelyard: unknown verb 'rnu'; did you mean 'run'?"));
  EXPECT_THAT(
      problem({"run", "study.yaml", "--outt", "x"}),
      AllOf(HasSubstr("steelyard: unknown option '--outt' (known: "), HasSubstr("did you mean '--out'?")));
  EXPECT_THAT(problem({"run", "study.yaml", "--outt=x"}), HasSubstr("unknown option '--outt'"));
  EXPECT_THAT(problem({"check", "study.yaml", "--fix", "other.yaml"}),
              HasSubstr("'other.yaml' is one argument too many for `steelyard check`, which takes STUDY"));
  EXPECT_THAT(problem({"--threads", "3", "run", "study.yaml"}),
              HasSubstr("'--threads' stands before the verb; options come after `steelyard run`"));
  EXPECT_THAT(problem({"run"}), HasSubstr("steelyard: STUDY is required\nsteelyard run --help says more"));
}

}  // namespace help_test
