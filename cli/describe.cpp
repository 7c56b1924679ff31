// steelyard completion SHELL, steelyard man: the command line described by itself, from the same tree of
// verbs and options that parses it, so that neither can go stale.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "help_verbs.hpp"
#include "output.hpp"
#include "steelyard/core/suggest.hpp"

namespace cli {
namespace {

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Options with a dash; hidden ones have no group.
std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return !option->get_positional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> dashed(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::string flag_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : flags_of(app))
    for (const std::string& name : dashed(*option)) words.push_back(name);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    names += verb->get_name() + " ";
    cases += fmt::format("    {}) options=\"{}\" ;;\n", verb->get_name(), flag_words(*verb));
  }
  return fmt::format(
      R"(# bash completion of steelyard, written by `steelyard completion bash`
_steelyard() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{}{}" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}}
complete -o filenames -F _steelyard steelyard
)",
      names, flag_words(app), cases);
}

// Inside single quotes of a zsh specification: brackets, colons and quotes have meanings.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '\'')
      result += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      result += fmt::format("\\{}", c);
    else
      result += c;
  }
  return result;
}

std::string zsh_completion(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* verb : verbs_of(app)) {
    names += fmt::format("    '{}:{}'\n", verb->get_name(), zsh_text(verb->get_description()));
    cases += fmt::format("    {})\n      _arguments \\\n", verb->get_name());
    for (const CLI::Option* option : flags_of(*verb))
      for (const std::string& name : dashed(*option))
        cases += fmt::format("        '{}[{}]{}' \\\n", name, zsh_text(option->get_description()),
                             option->get_items_expected_max() > 0 ? ":value:_files" : "");
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(
      R"(#compdef steelyard
# zsh completion of steelyard, written by `steelyard completion zsh`
_steelyard() {{
  local -a verbs
  verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
_steelyard "$@"
)",
      names, cases);
}

// Text of a manual page: backslashes and dashes are marked, lines must not begin with a dot or a quote.
std::string roff(const std::string& text) {
  std::string result;
  for (char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

std::string option_entry(const CLI::Option& option) {
  const std::string names =
      option.get_positional() ? option.get_name(true) : fmt::format("{}", fmt::join(dashed(option), ", "));
  const std::string value =
      !option.get_positional() && option.get_items_expected_max() > 0 ? " \\fIVALUE\\fR" : "";
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(names), value, roff(option.get_description()));
}

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH STEELYARD 1 \"\" \"Steelyard {}\" \"User Commands\"\n.SH NAME\nsteelyard \\- dynamic models of "
      "robots from joint logs\n.SH SYNOPSIS\n.B steelyard\n\\fIVERB\\fR [\\fIOPTIONS\\fR] \\fIFILES\\fR\n"
      ".SH DESCRIPTION\n{}\n.SH VERBS\n",
      STEELYARD_VERSION, roff(app.get_description()));
  for (const CLI::App* verb : verbs_of(app)) {
    text += fmt::format(".SS {}\n{}.\n", roff(verb->get_name()), roff(verb->get_description()));
    for (const CLI::Option* option : arguments_of(*verb)) text += option_entry(*option);
    for (const CLI::Option* option : flags_of(*verb)) text += option_entry(*option);
    text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(verb->get_footer()));
  }
  text +=
      ".SH EXIT STATUS\n.TP\n.B 0\nDone.\n.TP\n.B 1\nInternal error: a bug in Steelyard.\n.TP\n.B 2\nThe "
      "input cannot be read or "
      "is invalid; nothing was written.\n.TP\n.B 3\nDone and written, but not trustworthy.\n"
      ".TP\n.B 4\nSystem failure: disk, permissions, missing component; no partial output.\n.TP\n.B 130\n"
      "Interrupted.\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nDisable colours on a terminal.\n";
  return text + fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(app.get_footer()));
}

// Of words that nothing takes: the first one, and what was perhaps meant.
std::string not_expected(const CLI::App& app, const CLI::App* verb) {
  const std::string word = app.remaining(true).front();
  std::vector<std::string> known;
  if (word.starts_with('-') && word.size() > 1) {
    for (const CLI::Option* option : flags_of(verb == nullptr ? app : *verb))
      for (const std::string& name : dashed(*option)) known.push_back(name);
    if (verb != nullptr && !app.remaining(false).empty())
      return fmt::format("{} stands before the verb; options come after `steelyard {}`",
                         steelyard::quoted(word), verb->get_name());
    return steelyard::unknown("option", word.substr(0, word.find('=')), known).to_string();
  }
  if (verb == nullptr) {
    for (const CLI::App* each : verbs_of(app)) known.push_back(each->get_name());
    return steelyard::unknown("verb", word, known).to_string();
  }
  for (const CLI::Option* argument : arguments_of(*verb)) known.push_back(argument->get_name());
  return fmt::format("{} is one argument too many for `steelyard {}`, which takes {}",
                     steelyard::quoted(word), verb->get_name(),
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, " ")));
}

}  // namespace

std::string command_line_problem(const CLI::App* app, const CLI::Error& error) {
  const auto parsed = app->get_subcommands();
  const CLI::App* verb = parsed.empty() ? nullptr : parsed.front();
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  return fmt::format("steelyard: {}\nsteelyard{} --help says more\n",
                     extra ? not_expected(*app, verb) : std::string(error.what()),
                     verb == nullptr ? "" : " " + verb->get_name());
}

Run add_completion(Arguments& verb) {
  const auto shell = std::make_shared<std::string>();
  verb.add("SHELL", *shell, "bash or zsh").required().one_of({"bash", "zsh"});
  verb.footer(
      "Example:\n  steelyard completion bash > ~/.local/share/bash-completion/completions/steelyard\n");
  return [shell, app = &verb.program()](const CommonOptions&) {
    print(*shell == "bash" ? bash_completion(*app) : zsh_completion(*app));
    return static_cast<int>(kDone);
  };
}

Run add_man(Arguments& verb) {
  verb.footer("Example:\n  steelyard man > steelyard.1\n");
  return [app = &verb.program()](const CommonOptions&) {
    print(man_page(*app));
    return static_cast<int>(kDone);
  };
}

}  // namespace cli
