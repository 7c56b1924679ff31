#include "engines/child_world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "steelyard/core/child.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

enum class Ask : char {
  make = 'm',
  set_state = 's',
  state = 'g',
  step = 't',
  inverse = 'i',
  drive = 'd',
  dry_friction = 'f',
  pose = 'p',
};
constexpr char kDone = '=', kRefused = '!', kUnknown = '-';
constexpr std::size_t kDigits = 16;
constexpr const char* kLimit = "a robot it can move";
constexpr const char* kRemedy = "leave this engine out, and report the robot to its developers";

void put(std::string& line, const double* numbers, int count) {
  for (int k = 0; k < count; ++k) line += fmt::format("{:016x}", std::bit_cast<std::uint64_t>(numbers[k]));
}

std::vector<double> numbers_of(std::string_view digits) {
  std::vector<double> numbers;
  for (; digits.size() >= kDigits; digits.remove_prefix(kDigits)) {
    std::uint64_t bits = 0;
    std::from_chars(digits.data(), digits.data() + kDigits, bits, 16);
    numbers.push_back(std::bit_cast<double>(bits));
  }
  return numbers;
}

// The child's side: the line without its kind, as numbers; joints stand one behind the other.
std::string answer(World& world, Ask ask, const std::vector<double>& in, int joints) {
  std::vector<double> out(static_cast<std::size_t>(2 * joints));
  const double* q = in.data();
  const double* qd = q + joints;
  std::string line(1, kDone);
  switch (ask) {
    case Ask::make:
      break;
    case Ask::set_state:
      world.set_state(q, qd);
      break;
    case Ask::state:
      world.state(out.data(), out.data() + joints);
      put(line, out.data(), 2 * joints);
      break;
    case Ask::step:
      world.step(q, in.back());
      break;
    case Ask::drive:
      world.drive(q, in.back(), out.data());
      put(line, out.data(), joints);
      break;
    case Ask::inverse:
    case Ask::dry_friction: {
      const double* qdd = qd + joints;
      const bool known = ask == Ask::inverse ? world.inverse(q, qd, qdd, out.data())
                                             : world.dry_friction(q, qd, qdd, out.data());
      if (!known) return {kUnknown};
      put(line, out.data(), joints);
      break;
    }
    case Ask::pose: {
      const WorldFrame frame = world.pose(static_cast<int>(in.back()));
      put(line, frame.rotation.data(), 9);
      put(line, frame.position.data(), 3);
      break;
    }
  }
  return line;
}

void serve(const std::function<World*()>& make, int joints, int in, int out) {
  std::unique_ptr<World> world;
  std::string read;
  for (char bytes[4096];;) {
    const ssize_t got = ::read(in, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    read.append(bytes, static_cast<std::size_t>(got));
    if (read.back() != '\n') continue;  // the parent waits for an answer: there is never a second line
    std::string text;
    try {
      if (!world) world.reset(make());
      text = answer(*world, static_cast<Ask>(read.front()),
                    numbers_of(std::string_view(read).substr(1, read.size() - 2)), joints);
    } catch (const std::exception& error) {
      text = kRefused + std::string(error.what());
    }
    write_line(out, std::move(text));
    read.clear();
  }
}

class ChildWorld : public World {
 public:
  ChildWorld(const std::function<World*()>& make, int joints, const std::string& engine, double seconds)
      : joints_(joints),
        seconds_(seconds),
        child_([make, joints](int in, int out) { serve(make, joints, in, out); },
               ChildWords{"engine", engine, kLimit, kRemedy, kLimit, kRemedy}) {
    ask(Ask::make, {});
  }

  void set_state(const double* q, const double* qd) override { ask(Ask::set_state, {q, qd}); }
  void state(double* q, double* qd) const override {
    const std::vector<double> both = ask(Ask::state, {});
    std::copy_n(both.begin(), joints_, q);
    std::copy_n(both.begin() + joints_, joints_, qd);
  }
  void step(const double* effort, double seconds) override { ask(Ask::step, {effort}, &seconds); }
  bool inverse(const double* q, const double* qd, const double* qdd, double* effort) override {
    return take(ask(Ask::inverse, {q, qd, qdd}), effort);
  }
  void drive(const double* velocity, double seconds, double* effort) override {
    take(ask(Ask::drive, {velocity}, &seconds), effort);
  }
  bool dry_friction(const double* q, const double* qd, const double* qdd, double* effort) override {
    return take(ask(Ask::dry_friction, {q, qd, qdd}), effort);
  }
  WorldFrame pose(int link) override {
    const double number = link;
    const std::vector<double> found = ask(Ask::pose, {}, &number);
    WorldFrame frame;
    std::copy_n(found.begin(), 9, frame.rotation.data());
    std::copy_n(found.begin() + 9, 3, frame.position.data());
    return frame;
  }

 private:
  // Empty for what the engine does not know.
  std::vector<double> ask(Ask kind, std::initializer_list<const double*> joints,
                          const double* number = nullptr) const {
    std::string line(1, static_cast<char>(kind));
    for (const double* values : joints) put(line, values, joints_);
    if (number != nullptr) put(line, number, 1);
    const std::string found = child_.ask(line, seconds_);
    if (found.front() == kRefused) throw std::runtime_error(found.substr(1));
    return numbers_of(std::string_view(found).substr(1));
  }
  bool take(const std::vector<double>& found, double* to) const {
    std::copy(found.begin(), found.end(), to);
    return !found.empty();
  }

  int joints_;
  double seconds_;
  mutable Child child_;
};

}  // namespace

std::unique_ptr<World> child_world(const std::function<World*()>& make, int joints, const std::string& engine,
                                   double seconds) {
  return std::make_unique<ChildWorld>(make, joints, engine, seconds);
}

}  // namespace steelyard
