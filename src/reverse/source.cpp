#include "steelyard/reverse/source.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <memory>
#include <sstream>

#include "steelyard/core/child.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kError = "error";
constexpr const char* kMachine = "machine";  // children of our own only

std::string numbers_text(const double* numbers, Index count) {
  std::string text;
  for (Index k = 0; k < count; ++k) text += (k > 0 ? " " : "") + fmt::format("{}", numbers[k]);
  return text;
}

[[noreturn]] void refuse_line(const std::string& name, const std::string& line, const std::string& why) {
  constexpr std::size_t kShown = 80;
  throw InputError({fmt::format("the source '{}' answers '{}{}': {}", name, line.substr(0, kShown),
                                line.size() > kShown ? "…" : "", why),
                    {},
                    "g and n numbers, M and n² or n(n+1)/2 numbers, or both",
                    "docs/reverse.md describes the format"});
}

bool to_double(const std::string& word, double& number) {
  const char* first = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
  const auto [stop, error] = std::from_chars(first, word.data() + word.size(), number);
  return error == std::errc{} && stop == word.data() + word.size();
}

void put_part(const std::string& name, const std::string& line, char kind, const std::vector<double>& numbers,
              Index n, ReverseAnswer& answer) {
  const auto count = static_cast<Index>(numbers.size());
  if (kind == 'g') {
    if (count != n) refuse_line(name, line, fmt::format("{} numbers of g for {} joints", count, n));
    answer.gravity = Eigen::Map<const Eigen::VectorXd>(numbers.data(), n);
    return;
  }
  if (count != n * n && count != n * (n + 1) / 2)
    refuse_line(name, line, fmt::format("{} numbers of M for {} joints", count, n));
  answer.inertia.resize(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      answer.inertia(i, j) = numbers[static_cast<std::size_t>(
          count == n * n ? i * n + j : triangle_index(std::max(i, j), std::min(i, j)))];
}

ReverseAnswer parse_answer(const std::string& name, const std::string& line, Index n) {
  std::istringstream words(line);
  std::string word;
  ReverseAnswer answer;
  char kind = 0;
  std::vector<double> numbers;
  while (words >> word) {
    double number = 0;
    if (kind == 0 && word == kError)
      throw InputError({fmt::format("the source '{}' reports: {}", name, line), {}, "", ""});
    if (kind == 0 && word == kMachine)
      throw MachineError({line.substr(std::min(line.size(), std::string(kMachine).size() + 1)), {}, "", ""});
    if (word == "g" || word == "M") {
      if (kind != 0) put_part(name, line, kind, numbers, n, answer);
      kind = word[0];
      numbers.clear();
    } else if (kind == 0 || !to_double(word, number)) {
      refuse_line(name, line, fmt::format("'{}' is not a number", word));
    } else {
      numbers.push_back(number);
    }
  }
  if (kind == 0) refuse_line(name, line, "neither g nor M");
  put_part(name, line, kind, numbers, n, answer);
  return answer;
}

ReverseSource asking(const std::shared_ptr<Child>& child, const SourceLimits& limits) {
  return [child, limits](const VectorXd& q) {
    std::string line = child->ask(numbers_text(q.data(), q.size()), limits.seconds);
    while (line.find_first_not_of(" \t\r") == std::string::npos || line.front() == '#')
      line = child->next_line(limits.seconds);
    return parse_answer(child->name(), line, q.size());
  };
}

// One line, byte by byte: requests are short. False at the end.
bool read_line(int in, std::string& line) {
  line.clear();
  for (char byte = 0;;) {
    const ssize_t got = ::read(in, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    if (byte == '\n') return true;
    line += byte;
  }
}

std::string answer_text(const ReverseAnswer& answer) {
  std::string text;
  if (answer.gravity.size() > 0) text += "g " + numbers_text(answer.gravity.data(), answer.gravity.size());
  if (answer.inertia.size() > 0) {
    const Eigen::MatrixXd by_rows = answer.inertia.transpose();
    text += (text.empty() ? "M " : " M ") + numbers_text(by_rows.data(), by_rows.size());
  }
  return text;
}

// The child's side.
void serve_source(const std::function<ReverseSource()>& make, int in, int out) {
  std::string line;
  ReverseSource source;
  while (read_line(in, line)) {
    try {
      if (!source) source = make();
      std::vector<double> q;
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        q.push_back(0);
        require(to_double(word, q.back()), "positions of our own are numbers");
      }
      write_line(out, answer_text(
                          source(Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Index>(q.size())))));
    } catch (const InputError& error) {
      write_line(out, std::string(kError) + " " + error.what());
    } catch (const MachineError& error) {
      write_line(out, std::string(kMachine) + " " + error.what());
    }
  }
}

using SourceFunction = int (*)(int, const double*, double*, double*);

ReverseSource open_library(const std::string& path, const std::string& function) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw InputError({fmt::format("the library cannot be opened: {}", ::dlerror()), {}, "", ""});
  const auto call = reinterpret_cast<SourceFunction>(::dlsym(library, function.c_str()));
  if (call == nullptr)
    throw InputError({fmt::format("the library {} has no function '{}'", path, function), {}, "", ""});
  return [call, path](const VectorXd& q) {
    const Index n = q.size();
    VectorXd gravity = VectorXd::Zero(n), entries = VectorXd::Zero(n * n);
    const int filled = call(static_cast<int>(n), q.data(), gravity.data(), entries.data());
    if (filled < 1 || filled > 3)
      throw InputError({fmt::format("the function of {} returns {}", path, filled), {}, "1, 2 or 3", ""});
    ReverseAnswer answer;
    if ((filled & 1) != 0) answer.gravity = gravity;
    if ((filled & 2) != 0) {
      answer.inertia.resize(n, n);
      for (Index i = 0; i < n; ++i) answer.inertia.row(i) = entries.segment(i * n, n).transpose();
    }
    return answer;
  };
}

}  // namespace

void SourceLimits::validate() const {
  if (!(seconds > 0) || !std::isfinite(seconds))
    throw InputError({fmt::format("the time limit of a source is {} s", seconds), {}, "above 0", ""});
}

ReverseSource program_source(const std::vector<std::string>& command, const std::string& folder,
                             const SourceLimits& limits) {
  limits.validate();
  return asking(std::make_shared<Child>(command, folder), limits);
}

ReverseSource child_source(const std::function<ReverseSource()>& make, const std::string& name,
                           const SourceLimits& limits) {
  limits.validate();
  return asking(std::make_shared<Child>([&](int in, int out) { serve_source(make, in, out); },
                                        ChildWords{.name = name}),
                limits);
}

ReverseSource library_source(const std::string& path, const std::string& function,
                             const SourceLimits& limits) {
  return child_source([=] { return open_library(path, function); }, path, limits);
}

ReverseSource robot_source(const Robot& robot) {
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const Coordinates reduced = coordinates(robot);
  return [=](const VectorXd& q) {
    const VectorXd all = reduced.matrix * q + reduced.offset;
    const MatrixXd M = mass_matrix(tree, parameters, all);
    return ReverseAnswer{reduced.matrix.transpose() * gravity_torque(tree, parameters, all),
                         reduced.matrix.transpose() * M * reduced.matrix};
  };
}

}  // namespace steelyard
