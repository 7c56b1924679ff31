#include "regressor/symbolic/trigonometric.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {
namespace {

constexpr double kNothing = 1e-12;  // of the largest coefficient: rounding of what cancels
constexpr double kParallel = 1e-12;

bool is_sliding(const Robot& robot, int joint) {
  return robot.joints[static_cast<std::size_t>(joint)].kind == JointKind::prismatic;
}

// The joint's axis and its parent's in the parent's link frame.
bool is_parallel_to_parent(const Robot& robot, int joint) {
  const Joint& own = robot.joints[static_cast<std::size_t>(joint)];
  if (own.parent < 0 || is_sliding(robot, own.parent) || is_sliding(robot, joint)) return false;
  const Joint& parent = robot.joints[static_cast<std::size_t>(own.parent)];
  const Vector3 before = to_pose(parent.after).rotation.transpose() * parent.axis;
  const Vector3 axis = to_pose(own.before).rotation * own.axis;
  return before.cross(axis).norm() < kParallel;
}

// One sine or cosine of a run, times one of another factor; the sums that they are.
struct Product {
  Wave wave;
  int sign_of_second;  // of the second factor's multiples
  double factor;
};

std::vector<Product> products(Wave a, Wave b) {
  if (a == cosine && b == cosine) return {{cosine, -1, 0.5}, {cosine, 1, 0.5}};
  if (a == sine && b == sine) return {{cosine, -1, 0.5}, {cosine, 1, -0.5}};
  if (a == sine) return {{sine, 1, 0.5}, {sine, -1, 0.5}};
  return {{sine, 1, 0.5}, {sine, -1, -0.5}};
}

// First multiple of every run positive, no wave without an angle. False: the term is zero.
bool make_canonical(const Frame& frame, Term& term, double& coefficient) {
  for (int r = 0; r < frame.runs; ++r) {
    signed char& wave = term.waves[static_cast<std::size_t>(r)];
    if (wave == none) continue;
    int first = 0;
    for (std::size_t j = 0; j < term.multiples.size() && first == 0; ++j)
      if (frame.run[j] == r) first = term.multiples[j];
    if (first == 0) {
      if (wave == sine) return false;
      wave = none;
    } else if (first < 0) {
      for (std::size_t j = 0; j < term.multiples.size(); ++j)
        if (frame.run[j] == r) term.multiples[j] = static_cast<signed char>(-term.multiples[j]);
      if (wave == sine) coefficient = -coefficient;
    }
  }
  return true;
}

void multiply_terms(const Frame& frame, const Term& a, const Term& b, double coefficient, Sum& out) {
  std::vector<std::pair<Term, double>> parts = {{a, coefficient}};
  Term& start = parts.front().first;
  start.parameter = a.parameter == kNoParameter ? b.parameter : a.parameter;
  for (std::size_t s = 0; s < start.powers.size(); ++s)
    start.powers[s] = static_cast<signed char>(a.powers[s] + b.powers[s]);
  for (int r = 0; r < frame.runs; ++r) {
    const auto run = static_cast<std::size_t>(r);
    const auto second = static_cast<Wave>(b.waves[run]);
    if (second == none) continue;
    const auto take = [&](Term& term, int sign) {
      for (std::size_t j = 0; j < term.multiples.size(); ++j)
        if (frame.run[j] == r)
          term.multiples[j] = static_cast<signed char>(term.multiples[j] + sign * b.multiples[j]);
    };
    std::vector<std::pair<Term, double>> next;
    for (auto& [term, factor] : parts) {
      const auto first = static_cast<Wave>(term.waves[run]);
      if (first == none) {
        Term alone = term;
        take(alone, 1);
        alone.waves[run] = second;
        next.emplace_back(std::move(alone), factor);
        continue;
      }
      for (const Product& product : products(first, second)) {
        Term both = term;
        take(both, product.sign_of_second);
        both.waves[run] = product.wave;
        next.emplace_back(std::move(both), factor * product.factor);
      }
    }
    parts = std::move(next);
  }
  for (auto& [term, factor] : parts)
    if (make_canonical(frame, term, factor)) out.add(std::move(term), factor);
}

}  // namespace

Term Frame::one() const {
  Term term;
  term.multiples.assign(run.size(), 0);
  term.waves.assign(static_cast<std::size_t>(runs), none);
  term.powers.assign(symbols.size(), 0);
  return term;
}

Frame frame_of(const Robot& robot) {
  Frame frame;
  for (int j = 0; j < robot.size(); ++j) {
    const int parent = robot.joints[static_cast<std::size_t>(j)].parent;
    frame.symbol_of_joint.push_back(-1);
    if (is_sliding(robot, j)) {
      frame.run.push_back(-1);
      frame.symbol_of_joint.back() = static_cast<int>(frame.symbols.size());
      frame.symbols.push_back("q" + std::to_string(j + 1));
    } else {
      frame.run.push_back(is_parallel_to_parent(robot, j) ? frame.run[static_cast<std::size_t>(parent)]
                                                          : frame.runs++);
    }
  }
  return frame;
}

void Sum::add(Term term, double coefficient) {
  if (coefficient == 0) return;
  const auto [found, is_new] = terms_.try_emplace(std::move(term), coefficient);
  if (is_new) return;
  found->second += coefficient;
  if (found->second == 0) terms_.erase(found);
}

Sum& Sum::operator+=(const Sum& other) {
  for (const auto& [term, coefficient] : other.terms_) add(term, coefficient);
  return *this;
}

Sum& Sum::operator-=(const Sum& other) {
  for (const auto& [term, coefficient] : other.terms_) add(term, -coefficient);
  return *this;
}

void Sum::clean() {
  double largest = 0;
  for (const auto& [term, coefficient] : terms_) largest = std::max(largest, std::abs(coefficient));
  std::erase_if(terms_, [&](const auto& item) { return std::abs(item.second) <= kNothing * largest; });
}

Sum operator+(Sum a, const Sum& b) {
  a += b;
  return a;
}

Sum operator-(Sum a, const Sum& b) {
  a -= b;
  return a;
}

Sum operator*(double factor, const Sum& a) {
  Sum out;
  for (const auto& [term, coefficient] : a.terms()) out.add(term, factor * coefficient);
  return out;
}

Sum multiply(const Frame& frame, const Sum& a, const Sum& b) {
  Sum out;
  for (const auto& [first, x] : a.terms())
    for (const auto& [second, y] : b.terms()) multiply_terms(frame, first, second, x * y, out);
  out.clean();
  return out;
}

Sum derivative(const Frame& frame, const Sum& a, int joint) {
  const auto j = static_cast<std::size_t>(joint);
  Sum out;
  for (const auto& [term, coefficient] : a.terms()) {
    Term changed = term;
    if (frame.symbol_of_joint[j] >= 0) {
      signed char& power = changed.powers[static_cast<std::size_t>(frame.symbol_of_joint[j])];
      if (power == 0) continue;
      const double factor = power;
      --power;
      out.add(std::move(changed), factor * coefficient);
      continue;
    }
    const int multiple = term.multiples[j];
    if (multiple == 0) continue;
    signed char& wave = changed.waves[static_cast<std::size_t>(frame.run[j])];
    const double factor = wave == cosine ? -multiple : multiple;
    wave = wave == cosine ? sine : cosine;
    out.add(std::move(changed), factor * coefficient);
  }
  return out;
}

Sum with_parameter(const Sum& a, int parameter) {
  Sum out;
  for (const auto& [term, coefficient] : a.terms()) {
    Term own = term;
    own.parameter = parameter;
    out.add(std::move(own), coefficient);
  }
  return out;
}

Sum number(const Frame& frame, double value) {
  return {frame.one(), value};
}

Sum symbol(const Frame& frame, int index, double factor) {
  Term term = frame.one();
  term.powers[static_cast<std::size_t>(index)] = 1;
  return {term, factor};
}

Sum wave_of(const Frame& frame, int joint, Wave wave) {
  const auto j = static_cast<std::size_t>(joint);
  Term term = frame.one();
  term.multiples[j] = 1;
  term.waves[static_cast<std::size_t>(frame.run[j])] = wave;
  return {term, 1};
}

}  // namespace symbolic
}  // namespace steelyard
