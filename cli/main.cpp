// The program: parses the command line, calls one verb, maps outcomes to exit codes.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "help_verbs.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "output.hpp"
#include "program_main.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/regressor/plan.hpp"
#include "verbs.hpp"

namespace {

void select_isa(const std::string& name) {
  using steelyard::IsaLevel;
  if (name.empty()) return;
  for (IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512})
    if (name == to_string(level) && is_available(level)) return set_isa_level(level);
  std::string known;
  for (IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512})
    if (is_available(level)) known += (known.empty() ? "" : ", ") + std::string(to_string(level));
  throw steelyard::InputError({"no instruction set '" + name + "' here",
                               {"--isa", 0, 0, ""},
                               known,
                               "omit --isa to use the best one available"});
}

// As in a study: a whole number. CLI11 alone takes -1 and what is too large for the largest number.
std::string refuse_seed(const std::string& text) {
  constexpr std::size_t kDigits = 15;
  const bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return whole && text.size() <= kDigits ? "" : "a seed is a whole number of at most 15 digits, not " + text;
}

// Options beside the verb's own: none; --json, --quiet and --isa; threads and seed of studies; an output
// folder.
enum class Shared { none, basic, study, folder };

struct Verb {
  const char* name;
  const char* about;
  cli::Run (*add)(cli::Arguments&);
  Shared shared;
};

constexpr Verb kVerbs[] = {
    {"init", "Write a first study from a robot and its logs", cli::add_init, Shared::basic},
    {"run", "Run a study: from logs to a model, result.json and report.html", cli::add_run, Shared::folder},
    {"identify", "The same without the report", cli::add_identify, Shared::folder},
    {"check", "Check a study's logs and set-up without fitting", cli::add_check, Shared::study},
    {"signs", "Recover the signs of runs that log only |effort|, with a proof", cli::add_signs,
     Shared::study},
    {"validate", "Validate a result's model on other runs", cli::add_validate, Shared::folder},
    {"excite", "Design an exciting motion within all limits", cli::add_excite, Shared::folder},
    {"next", "Predict what the next run would add to a study", cli::add_next, Shared::folder},
    {"forecast", "Forecast the error of a result's model on other motions", cli::add_forecast, Shared::basic},
    {"gains", "Predict how well a load would identify the drive gains", cli::add_gains, Shared::basic},
    {"retrieve", "Retrieve physically feasible masses, centres of mass and inertias", cli::add_retrieve,
     Shared::folder},
    {"simulate", "Write the logs of a study's simulated runs", cli::add_simulate, Shared::folder},
    {"fold", "Fold a study's runs into small files that hold all an estimate needs", cli::add_fold,
     Shared::folder},
    {"fleet", "Compare robots of one type: which one differs, and in what", cli::add_fleet, Shared::folder},
    {"merge", "Merge the runs of several fold files", cli::add_merge, Shared::basic},
    {"reverse", "Identify the model behind a vendor's g(q) and M(q); choose configurations", cli::add_reverse,
     Shared::folder},
    {"report", "Write the report of a result, or compare several results", cli::add_report, Shared::basic},
    {"model", "Show a robot's frames, limits and identifiable parameters", cli::add_model, Shared::basic},
    {"export", "Export the model as C code, URDF, SDF, MJCF, YAML or JSON", cli::add_export, Shared::folder},
    {"convert", "Convert a log to CSV, NumPy or MCAP", cli::add_convert, Shared::basic},
    {"about", "Show version, instruction sets, threads and engines of this installation", cli::add_about,
     Shared::basic},
    {"completion", "Print shell completion for bash or zsh", cli::add_completion, Shared::none},
    {"man", "Print the manual page", cli::add_man, Shared::none},
};

// Outputs made from a model have folders of their own: none replaces its input.
std::string usual_folder(const CLI::App& verb) {
  const std::string& name = verb.get_name();
  return "steelyard-" + (name == "run" || name == "identify" ? "result" : name);
}

void add_common_options(CLI::App& verb, Shared shared, cli::CommonOptions& common) {
  if (shared == Shared::none) return;
  verb.add_flag("--json", common.json, "Print JSON");
  verb.add_flag("--quiet", common.quiet, "Print results only, no warnings");
  verb.add_option("--isa", common.isa,
                  "Instruction set: baseline, avx2, avx512 (default: the best available)");
  if (shared == Shared::basic) return;
  verb.add_option("--threads", common.threads, "Number of threads (default: all)")
      ->check(CLI::Range(1, 1024));
  verb.add_option("--seed", common.seed, "Seed, overrides the study's")->check(refuse_seed);
  if (shared == Shared::folder)
    verb.add_option("--out", common.out, "Output folder; one written by Steelyard is replaced as a whole")
        ->default_str(usual_folder(verb))
        ->check([](const std::string& text) { return text.empty() ? "a folder needs a name" : ""; });
}

constexpr const char* kExamples =
    "Examples:\n"
    "  steelyard init robots/ur10.yaml ur10.csv    a first study from a log\n"
    "  steelyard run examples/demo/study.yaml      from logs to model and report\n"
    "  steelyard model robots/panda.yaml           what is identifiable of a robot\n";

int run(int argc, char** argv) {
  CLI::App app{"Steelyard weighs a robot by its torques: dynamic models from joint logs."};
  app.footer(kExamples);
  app.set_version_flag("--version", STEELYARD_VERSION);
  app.failure_message(cli::command_line_problem);
  app.require_subcommand(0, 1);
  bool parse_only = false;  // for tests of examples: is this a command of ours?
  app.add_flag("--parse-only", parse_only)->group("");

  cli::CommonOptions common;
  struct Added {
    CLI::App* app;
    cli::Run run;
    Shared shared;
  };
  std::vector<Added> verbs;
  for (const Verb& verb : kVerbs) {
    CLI::App* added = app.add_subcommand(verb.name, verb.about);
    cli::Arguments arguments(*added);
    verbs.push_back({added, verb.add(arguments), verb.shared});
    add_common_options(*added, verb.shared, common);
  }

  // Verbs are short: a narrow first column keeps the list within 80 characters.
  const auto narrow = std::make_shared<CLI::Formatter>();
  narrow->column_width(13);
  app.formatter(narrow);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kDone : cli::kBadInput;
  }
  if (parse_only) return cli::kDone;
  select_isa(common.isa);
  for (const Added& verb : verbs) {
    if (!verb.app->parsed()) continue;
    if (common.out.empty()) common.out = usual_folder(*verb.app);
    cli::watch_interrupts(verb.shared == Shared::folder ? common.out : "");
    return verb.run(common);
  }
  cli::print(app.help());
  return cli::kDone;
}

// The file that the command line names first, for complaints about options that do not know where they were
// set.
std::string named_file(int argc, char** argv) {
  for (int k = 2; k < argc; ++k)
    if (std::error_code ignored; argv[k][0] != '-' && std::filesystem::exists(argv[k], ignored))
      return argv[k];
  return {};
}

// With the other processes, if there are any: an error of one is that of all.
int run_together(int argc, char** argv) {
  int code = cli::kOurBug;
  try {
    code = run(argc, argv);
    steelyard::processes().exchange("");
  } catch (...) {
    steelyard::processes().fail(std::current_exception(), 0);
  }
  return code;
}

}  // namespace

int cli::program(int argc, char** argv) {
#ifdef __GLIBC__
  // Chunks of samples and columns go back to the system when they are done with. By default glibc moves this
  // limit up with every large buffer that is freed, and a long log leaves holes between its folds.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  // Smaller ones come again with the next chunk.
  mallopt(M_TRIM_THRESHOLD, 1 << 24);
#endif
#ifdef SIGXFSZ
  // A limit on the size of files is a write that fails, with a message, and not a sudden end.
  std::signal(SIGXFSZ, SIG_IGN);
#endif
  try {
    const int code = run_together(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      cli::print_problem("steelyard: standard output cannot be written");
      return cli::kMachineFailed;
    }
    return code;
  } catch (const steelyard::InputError& error) {
    steelyard::Complaint complaint = error.complaint();
    if (complaint.place.file.empty()) complaint.place.file = named_file(argc, argv);
    cli::print_problem("steelyard: " + complaint.to_string());
    return cli::kBadInput;
  } catch (const steelyard::MachineError& error) {
    cli::print_problem(std::string("steelyard: ") + error.what());
    return cli::kMachineFailed;
  } catch (const std::bad_alloc&) {
    cli::print_problem("steelyard: out of memory");
    return cli::kMachineFailed;
  } catch (const std::exception& error) {
    cli::print_problem(
        std::string("steelyard: internal error, please report it with what `steelyard about` prints: ") +
        error.what());
    return cli::kOurBug;
  }
}
