// A vendor's table of g(q) and M(q), with the mistakes that people make when they write one:
//   vendor_table ROBOT COUNT KIND
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/robot/read.hpp"

namespace {

using steelyard::Index;
using steelyard::MatrixXd;
using steelyard::VectorXd;

struct Row {
  VectorXd q, g;
  MatrixXd M;
};

void spoil(const std::string& kind, Row& row) {
  const Index n = row.q.size();
  if (kind == "degrees") row.q *= 180 / std::numbers::pi;
  if (kind == "exchanged") std::swap(row.q[n - 3], row.q[n - 4]);
  if (kind == "reversed") {
    row.q.reverseInPlace();
    row.g.reverseInPlace();
    row.M = row.M.reverse().eval();
  }
  if (kind == "half") row.M.triangularView<Eigen::StrictlyUpper>().setZero();
  if (kind == "unsymmetric") row.M(0, 1) *= 1.5;
  if (kind == "negative") row.M(0, 0) *= -1;
  if (kind == "other-gravity") row.g *= 1.02;
}

// Numbered columns hold the lower triangle; "by-columns" down its columns, "short" without its end.
bool is_numbered(const std::string& kind) {
  return kind == "by-rows" || kind == "by-columns" || kind == "short";
}

void print_header(const std::string& kind, Index n) {
  for (Index j = 1; j <= n; ++j) std::printf("%sq%ld,g%ld", j > 1 ? "," : "", long(j), long(j));
  if (is_numbered(kind))
    for (Index k = 1; k <= n * (n + 1) / 2 - (kind == "short" ? 5 : 0); ++k) std::printf(",m%ld", long(k));
  else
    for (Index i = 1; i <= n; ++i)
      for (Index j = 1; j <= n; ++j) std::printf(",M%ld%ld", long(i), long(j));
  std::printf("\n");
}

void print_row(const std::string& kind, const Row& row) {
  const Index n = row.q.size();
  for (Index j = 0; j < n; ++j) std::printf("%s%.12g,%.12g", j > 0 ? "," : "", row.q[j], row.g[j]);
  Index left = n * (n + 1) / 2 - (kind == "short" ? 5 : 0);
  for (Index a = 0; a < n; ++a)
    if (!is_numbered(kind))
      for (Index b = 0; b < n; ++b) std::printf(",%.12g", row.M(a, b));
    else if (kind == "by-columns")
      for (Index i = a; i < n; ++i) std::printf(",%.12g", row.M(i, a));
    else
      for (Index j = 0; j <= a && left-- > 0; ++j) std::printf(",%.12g", row.M(a, j));
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
    const steelyard::Tree tree = compile(robot);
    const VectorXd bodies = standard_parameters(robot);
    steelyard::Random random(1, "vendor");
    print_header(argv[3], robot.dof());
    for (int k = 0; k < std::atoi(argv[2]); ++k) {
      Row row;
      row.q.resize(robot.dof());
      for (double& position : row.q) position = random.uniform(-2, 2);
      row.g = gravity_torque(tree, bodies, row.q);
      row.M = mass_matrix(tree, bodies, row.q);
      spoil(argv[3], row);
      print_row(argv[3], row);
    }
  } catch (const steelyard::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
