#include "steelyard/core/child.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 22;
constexpr double kGrace = 0.1;  // [s] for a child that has closed its side to end

std::unique_ptr<ChildProcess> start_source(const std::vector<std::string>& command,
                                           const std::string& folder) {
  if (command.empty()) throw InputError({"a source program without a name", {}, "", ""});
  try {
    return std::make_unique<ChildProcess>(ChildProgram{command, folder});
  } catch (const std::system_error& error) {
    throw MachineError(
        {fmt::format("the source '{}' cannot be started: {}", command.front(), error.code().message()),
         {},
         "an executable program",
         "check its path and that it is executable"});
  }
}

std::unique_ptr<ChildProcess> start_function(const std::function<void(int, int)>& serve,
                                             const std::string& name) {
  try {
    return std::make_unique<ChildProcess>(serve);
  } catch (const std::system_error& error) {
    throw MachineError(
        {fmt::format("no child process for {}: {}", name, error.code().message()), {}, "", ""});
  }
}

}  // namespace

void write_line(int out, std::string text) {
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  text += '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(out, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) ::_exit(0);  // the parent has closed its end
    if (count > 0) written += static_cast<std::size_t>(count);
  }
}

Child::Child(const std::vector<std::string>& command, const std::string& folder)
    : process_(start_source(command, folder)) {
  words_.name = command.front();
}

Child::Child(const std::function<void(int in, int out)>& serve, ChildWords words)
    : words_(std::move(words)), process_(start_function(serve, words_.name)) {}

void Child::require_answer(ChildState state, double seconds) {
  if (state == ChildState::answers) return;
  if (state == ChildState::ended) {
    const ChildEnd how = process_->end(kGrace);
    std::string last = process_->last_words();
    while (!last.empty() && last.back() == '\n') last.pop_back();
    throw MachineError({fmt::format("the {} '{}' does not answer any more: {}{}", words_.kind, words_.name,
                                    how.to_string(), last.empty() ? "" : "; its last output: " + last),
                        {},
                        words_.limit,
                        words_.remedy});
  }
  process_->end(0);
  throw MachineError({fmt::format("the {} '{}' did not answer within {:g} s and was killed", words_.kind,
                                  words_.name, seconds),
                      {},
                      words_.late_limit,
                      words_.late_remedy});
}

std::string Child::next_line(double seconds) {
  process_->allow(seconds);
  while (true) {
    if (const std::size_t stop = read_.find('\n'); stop != std::string::npos) {
      std::string line = read_.substr(0, stop);
      read_.erase(0, stop + 1);
      return line;
    }
    if (read_.size() > kLongestLine)
      throw InputError({fmt::format("the {} '{}' wrote a line of more than {} bytes", words_.kind,
                                    words_.name, kLongestLine),
                        {},
                        "",
                        ""});
    char bytes[4096];
    const ChildProcess::Received got = process_->receive(bytes, sizeof bytes);
    require_answer(got.state, seconds);
    read_.append(bytes, got.count);
  }
}

std::string Child::ask(const std::string& line, double seconds) {
  process_->allow(seconds);
  // One that has ended may have written an answer before: that is read first, then the end is reported.
  const ChildState state = process_->send(line + "\n");
  if (state != ChildState::ended) require_answer(state, seconds);
  return next_line(seconds);
}

}  // namespace steelyard
