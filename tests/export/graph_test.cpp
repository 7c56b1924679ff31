#include "export/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard {
namespace {

TEST(Graph, FoldsWhatIsKnown) {
  Graph graph;
  const Term x = graph.input("x"), zero = graph.constant(0), one = graph.constant(1);
  EXPECT_EQ((x + zero).id, x.id);
  EXPECT_EQ((one * x).id, x.id);
  EXPECT_TRUE(graph.is_constant(zero * x, 0));
  EXPECT_TRUE(graph.is_constant(x - x, 0));
  EXPECT_EQ((-(-x)).id, x.id);
  EXPECT_TRUE(graph.is_constant(graph.constant(2) * graph.constant(3), 6));
  EXPECT_TRUE(graph.is_constant(cos(zero), 1));
}

TEST(Graph, HoldsEveryValueOnce) {
  Graph graph;
  const Term x = graph.input("x"), y = graph.input("y");
  EXPECT_EQ((x * y).id, (y * x).id);
  EXPECT_EQ((x + y).id, (y + x).id);
  EXPECT_NE((x - y).id, (y - x).id);
  EXPECT_EQ(((-x) * y).id, (x * (-y)).id);
  EXPECT_EQ((-(x - y)).id, (y - x).id);
}

TEST(Graph, ComputesWhatItHolds) {
  Graph graph;
  const Term x = graph.input("x"), y = graph.input("y");
  const std::vector<Term> out = {sin(x) * y - exp(y) / x, sign(x) + abs(x) * sign(y - x),
                                 -(x + y) + 2 * cos(x * y)};
  const double a = -0.7, b = 0.3;
  const auto values = graph.evaluate({{"x", a}, {"y", b}}, out);
  EXPECT_DOUBLE_EQ(values[0], std::sin(a) * b - std::exp(b) / a);
  EXPECT_DOUBLE_EQ(values[1], -1 - a);
  EXPECT_DOUBLE_EQ(values[2], -(a + b) + 2 * std::cos(a * b));
}

TEST(Graph, LeavesOutWhatIsNotNeeded) {
  Graph graph;
  const Term x = graph.input("x");
  const Term used = sin(x);
  (void)exp(x);
  EXPECT_EQ(graph.needed({used}), (std::vector<int>{x.id, used.id}));
}

}  // namespace
}  // namespace steelyard
