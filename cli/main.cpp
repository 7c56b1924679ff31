// The program: parses the command line, calls one verb, maps outcomes to exit codes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "files.hpp"
#include "model.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/plan.hpp"

namespace {

void select_isa(const std::string& name) {
  using steelyard::IsaLevel;
  if (name.empty()) return;
  for (IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512})
    if (name == to_string(level)) return set_isa_level(level);
  throw steelyard::InputError({"unknown instruction set '" + name + "'", {}, "baseline, avx2, avx512", ""});
}

constexpr const char* kExamples =
    "Examples:\n"
    "  steelyard run examples/demo/study.yaml     a study, from logs to a report\n"
    "  steelyard model robots/panda.yaml          what can be known of a robot\n"
    "  steelyard model my_arm.urdf --json         the same for a program\n"
    "";

int run(int argc, char** argv) {
  CLI::App app{"Steelyard weighs a robot by its torques: dynamic models from joint logs."};
  app.footer(kExamples);
  app.set_version_flag("--version", STEELYARD_VERSION);
  app.require_subcommand(0, 1);

  cli::CommonOptions common;
  cli::ModelOptions model;
  cli::RunOptions run, identify;
  cli::FilesOptions simulate, fold;
  identify.report = false;
  CLI::App* verb_run =
      app.add_subcommand("run", "A whole study: from logs to a model, result.json and report.html");
  CLI::App* verb_identify = app.add_subcommand("identify", "The same without the report");
  CLI::App* verb_simulate = app.add_subcommand("simulate", "Write the logs of a study's simulated runs");
  CLI::App* verb_fold =
      app.add_subcommand("fold", "Write the folds of a study's runs: all that estimates need");
  CLI::App* verb_model =
      app.add_subcommand("model", "Frames, parameters, limits and what is identifiable of a robot");
  cli::add_options(*verb_model, model);
  cli::add_options(*verb_run, run);
  cli::add_options(*verb_identify, identify);
  cli::add_simulate_options(*verb_simulate, simulate);
  cli::add_fold_options(*verb_fold, fold);
  for (CLI::App* verb : {verb_run, verb_identify, verb_simulate, verb_fold, verb_model}) {
    verb->add_flag("--json", common.json, "Print JSON");
    verb->add_flag("--quiet", common.quiet, "Print results only, no warnings");
    verb->add_option("--isa", common.isa,
                     "Instruction set: baseline, avx2, avx512 (default: the best there is)");
    if (verb == verb_model) continue;
    verb->add_option("--out", common.out, "Output folder, replaced as a whole")->capture_default_str();
    verb->add_option("--threads", common.threads, "Number of threads (default: all)")
        ->check(CLI::Range(1, 1024));
    verb->add_option("--seed", common.seed, "Seed instead of the study's");
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kBadInput;
  }
  select_isa(common.isa);
  if (verb_model->parsed()) return cli::run_model(model, common);
  if (verb_run->parsed()) return cli::run_study_verb(run, common);
  if (verb_identify->parsed()) return cli::run_study_verb(identify, common);
  if (verb_simulate->parsed()) return cli::run_simulate(simulate, common);
  if (verb_fold->parsed()) return cli::run_fold(fold, common);
  cli::print(app.help());
  return cli::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      cli::print_problem("steelyard: standard output cannot be written");
      return cli::kMachineFailed;
    }
    return code;
  } catch (const steelyard::InputError& error) {
    cli::print_problem(std::string("steelyard: ") + error.what());
    return cli::kBadInput;
  } catch (const steelyard::MachineError& error) {
    cli::print_problem(std::string("steelyard: ") + error.what());
    return cli::kMachineFailed;
  } catch (const std::bad_alloc&) {
    cli::print_problem("steelyard: out of memory");
    return cli::kMachineFailed;
  } catch (const std::exception& error) {
    cli::print_problem(std::string("steelyard: this is a bug of ours: ") + error.what());
    return cli::kOurBug;
  }
}
