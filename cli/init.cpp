// steelyard init ROBOT LOG…: writes a first study, reports what it guessed and why, and lists what it could
// not guess.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "help_verbs.hpp"
#include "output.hpp"
#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/yaml_tree.hpp"
#include "steelyard/init/init_study.hpp"
#include "steelyard/study/study.hpp"
#include "text.hpp"

namespace cli {
namespace {

using steelyard::InitStudy;

struct InitArguments {
  steelyard::InitOptions options;
  bool replace = false;
};

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  steelyard::AtomicFile file(path);
  file.write(text);
  file.commit();
}

// The text with values for what is left open.
std::string filled_in(std::string text) {
  const std::string open = steelyard::kYamlOpen;
  for (const std::string before : {": ", "[", ", "})
    for (std::size_t at = 0; (at = text.find(before + open, at)) != std::string::npos;)
      text.replace(at + before.size(), open.size(), text.substr(0, at).ends_with("unsigned") ? "true" : "1");
  return text;
}

std::string init_json(const InitStudy& init, const std::string& study) {
  nlohmann::ordered_json json = {{"study", study}};
  if (!init.robot_path.empty()) json["robot"] = init.robot_path;
  for (const steelyard::InitLog& log : init.logs) {
    nlohmann::ordered_json entry = {{"file", log.guess.file.path},
                                    {"label", log.label},
                                    {"role", log.validates ? "validate" : "fit"},
                                    {"rate", log.guess.rate},
                                    {"duration", log.guess.duration}};
    for (const steelyard::Guess& guess : log.guess.guesses)
      entry["guesses"].push_back({{"what", guess.what}, {"value", guess.value}, {"why", guess.why}});
    entry["unused"] = log.guess.unused;
    json["logs"].push_back(std::move(entry));
  }
  json["edit"] = nlohmann::ordered_json::array();
  for (const steelyard::Question& question : init.questions)
    json["edit"].push_back({{"name", question.name}, {"text", question.text}});
  return json.dump(2) + "\n";
}

std::string init_text(const InitStudy& init, const std::string& study) {
  std::string text;
  for (const steelyard::InitLog& log : init.logs) {
    text += wrapped(fmt::format("{} ({:.1f} s at {:.4g} Hz{})", log.guess.file.path, log.guess.duration,
                                log.guess.rate, log.validates ? ", validation" : ""),
                    "", "  ");
    for (const steelyard::Guess& guess : log.guess.guesses)
      text += wrapped(fmt::format("{}: {}; {}", guess.what, guess.value, guess.why), "  ", "    ");
    if (!log.guess.unused.empty())
      text += wrapped(fmt::format("not used: {}", fmt::join(log.guess.unused, ", ")), "  ", "    ");
  }
  text += "\nWritten: " + study + "\n";
  if (!init.robot_path.empty()) text += "         " + init.robot_path + "\n";
  if (init.questions.empty()) {
    text += "Nothing is left to fill in. Next: steelyard run " + study + "\n";
    return text;
  }
  text += "To fill in where the files have EDIT:\n";
  for (const steelyard::Question& question : init.questions)
    text += wrapped(fmt::format("{}: {}", question.name, question.text), "  ", "    ");
  return text + "Then: steelyard run " + study + "\n";
}

int run_init(const InitArguments& arguments, const CommonOptions& common) {
  const std::string& study = arguments.options.study;
  refuse_existing(study, arguments.replace);
  const InitStudy init = init_study(arguments.options);
  refuse_existing(init.robot_path, arguments.replace);
  steelyard::read_study_text(filled_in(init.study), study);  // what is written can be read
  write_file(init.robot_path, init.robot);
  write_file(study, init.study);
  if (common.json)
    print(init_json(init, study));
  else if (!common.quiet)
    print(init_text(init, study));
  return kDone;
}

}  // namespace

Run add_init(Arguments& verb) {
  const auto arguments = std::make_shared<InitArguments>();
  verb.add("ROBOT", arguments->options.robot, "Robot: .urdf, or .yaml with DH parameters or frames")
      .required();
  verb.add("LOG", arguments->options.logs,
           "Logs (.csv, .mat, .h5, .npy, .npz, .db3, .mcap); the last of several validates")
      .required();
  verb.add("--out", arguments->options.study, "Study to write").with_default();
  verb.add_flag("--replace", arguments->replace, "Overwrite an existing study");
  verb.add("--topic", arguments->options.topic, "Topic of bags");
  verb.footer("Example:\n  steelyard init robots/ur10.yaml ur10.csv --out ur10.yaml\n");
  return [arguments](const CommonOptions& common) { return run_init(*arguments, common); };
}

}  // namespace cli
