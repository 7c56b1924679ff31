// Robots, studies, results and expressions: from text.
#include <array>
#include <cmath>

#include "feed.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/study/study.hpp"

namespace fuzz {
namespace {

using namespace steelyard;

// A robot that was accepted can be computed with.
void use(const Robot& robot) {
  const Tree tree = compile(robot);
  const VectorXd parameters = VectorXd::Ones(10 * tree.size()), q = VectorXd::Constant(tree.size(), 0.3);
  promise(newton_euler(tree, parameters, q, q, q).tau.size() == tree.size(), "one effort a joint");
}

void feed_text(std::string_view bytes, RobotFile (*read)(const std::string&, const std::string&)) {
  accepts([&] { use(read(std::string(bytes), kName).robot); });
}

}  // namespace

void feed_robot(std::string_view bytes) {
  feed_text(bytes, read_robot_yaml);
}
void feed_urdf(std::string_view bytes) {
  feed_text(bytes, read_robot_urdf);
}
void feed_mjcf(std::string_view bytes) {
  feed_text(bytes, read_robot_mjcf);
}

void feed_study(std::string_view bytes) {
  accepts([&] { read_study_text(std::string(bytes), kName); });
}

void feed_result(std::string_view bytes) {
  accepts([&] {
    const std::string once = to_json(result_from_json(std::string(bytes), kName));
    promise(to_json(result_from_json(once, kName)) == once, "what was written reads back the same");
  });
}

void feed_expression(std::string_view bytes) {
  const std::array<std::string, 3> names = {"x", "y", "q.1"};
  const std::array<double, 3> values = {0.25, -1.5, 3};
  Place place;
  place.file = kName;
  Expression parsed;
  if (!accepts([&] { parsed = Expression::parse(bytes, names, place); })) return;
  Expression again;
  promise(accepts([&] { again = Expression::parse(parsed.to_text(), names, place); }),
          "what is printed can be parsed");
  promise(again.to_text() == parsed.to_text(), "printing is stable");
  promise(!parsed.to_c().empty(), "every expression has a C form");
  std::array<double, 3> gradient{};
  double value = 0, other = 0;
  const bool finite = accepts([&] { value = parsed.evaluate(values); });
  promise(accepts([&] { other = again.evaluate(values); }) == finite, "both are finite or neither");
  promise(!finite || value == other, "what is printed has the same value");
  accepts([&] { parsed.evaluate(values, gradient); });
}

}  // namespace fuzz
