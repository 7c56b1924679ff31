// Sums of number × lengths × parameter × sines and cosines of joint angles, in a form that is unique.
//
// Joints with parallel axes that follow each other form a run. A term has, for each run, nothing or one sine or cosine of an
// integer combination of the run's angles: products within a run are added up by
//   cos a cos b = ½ cos(a − b) + ½ cos(a + b),   sin a cos b = ½ sin(a + b) + ½ sin(a − b), …
#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {

enum Wave : signed char { none, cosine, sine };

inline constexpr int kNoParameter = -1;

struct Term {
  std::vector<signed char> multiples;  // of the joints' angles
  std::vector<signed char> waves;      // of the runs
  std::vector<signed char> powers;     // of the symbols
  int parameter = kNoParameter;        // at most one: index of the lead

  auto operator<=>(const Term&) const = default;
};

// What all sums of a robot share.
struct Frame {
  std::vector<int> run;              // of each joint; −1: slides
  std::vector<int> symbol_of_joint;  // sliding joints: their coordinate is a symbol; −1: turns
  int runs = 0;
  std::vector<std::string> symbols;  // names

  Term one() const;
};
Frame frame_of(const Robot& robot);

class Sum {
 public:
  Sum() = default;
  Sum(const Term& term, double coefficient) { add(term, coefficient); }

  bool is_zero() const { return terms_.empty(); }
  Index size() const { return static_cast<Index>(terms_.size()); }
  const std::map<Term, double>& terms() const { return terms_; }

  void add(Term term, double coefficient);
  Sum& operator+=(const Sum& other);
  Sum& operator-=(const Sum& other);
  // Without what rounding has left of terms that cancel.
  void clean();

 private:
  std::map<Term, double> terms_;
};

Sum operator+(Sum a, const Sum& b);
Sum operator-(Sum a, const Sum& b);
Sum operator*(double factor, const Sum& a);
Sum multiply(const Frame& frame, const Sum& a, const Sum& b);
Sum derivative(const Frame& frame, const Sum& a, int joint);
Sum with_parameter(const Sum& a, int parameter);

Sum number(const Frame& frame, double value);
Sum symbol(const Frame& frame, int index, double factor = 1);
Sum wave_of(const Frame& frame, int joint, Wave wave);

}  // namespace symbolic
}  // namespace steelyard
