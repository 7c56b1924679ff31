// Retrieval from the published coefficients of the Panda inside the published bounds
// (tests/data/panda_retrieval.json).
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <fstream>
#include <nlohmann/json.hpp>

#include "steelyard/feasible/retrieve.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using nlohmann::json;

const std::string kSource = STEELYARD_SOURCE_DIR;

struct Published {
  Robot robot = read_robot(kSource + "/robots/panda.yaml").robot;
  BaseParameters base = base_parameters(robot);
  Quantities quantities{robot};
  json data = json::parse(std::ifstream(kSource + "/tests/data/panda_retrieval.json"));

  // Table III as an estimate.
  Estimate table() const {
    Estimate estimate;
    const Index count = static_cast<Index>(data["coefficients"].size());
    estimate.values.resize(count);
    estimate.sigma.resize(count);
    estimate.relative_sigma.resize(count);
    for (Index k = 0; k < count; ++k) {
      const json& row = data["coefficients"][static_cast<std::size_t>(k)];
      estimate.columns.push_back(row["lead"]);
      estimate.values[k] = row["reverse"];
      estimate.relative_sigma[k] = row["reverse_sigma_percent"].get<double>() / 100;
      estimate.sigma[k] = estimate.relative_sigma[k] * std::abs(estimate.values[k]);
    }
    estimate.column_status.assign(estimate.columns.size(), ColumnStatus::determined);
    estimate.covariance = estimate.sigma.cwiseAbs2().asDiagonal();
    return estimate;
  }
};

TEST(Panda, FromTableIIIOurParametersFitBetterThanThePublishedOnesInsideTheSameBounds) {
  const Published panda;
  CoefficientOptions options;
  options.most_relative_sigma = 0.25;
  const CoefficientObjective phi =
      coefficient_objective(panda.table(), panda.base, panda.quantities, options);
  // Rows 8 and 24 of the table.
  EXPECT_EQ(phi.left_out, (std::vector<std::string>{"Jxy3", "Jxz6"}));
  const std::vector<Constraint> constraints = physical_constraints(panda.robot, panda.quantities);
  const Retrieval found = retrieve(phi.objective, constraints, panda.robot);
  ASSERT_TRUE(found.feasible) << found.brief();
  const double published = phi.objective.value(standard_parameters(panda.robot));
  EXPECT_LE(found.value, published);
  RecordProperty("published", std::to_string(published));
  RecordProperty("ours", std::to_string(found.value));
  for (int link = 0; link < 7; ++link) {
    const Inertia body = Inertia::from_standard(found.x.segment<10>(10 * link));
    const Eigen::Matrix4d P = body.pseudo_inertia();
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(P).eigenvalues()[0], 0) << link;
    EXPECT_FALSE(body.violated_law()) << link;
    EXPECT_GT(body_margin(body, panda.quantities.length(link)), 0);
  }
  for (const Constraint& constraint : constraints)
    EXPECT_GE(evaluate(constraint, panda.quantities, found.x).margin(), 0) << constraint.name;
}

TEST(Panda, ThePenaltySearchReachesThePublishedFitFromRandomStarts) {
  const Published panda;
  CoefficientOptions coefficients;
  coefficients.most_relative_sigma = 0.25;
  const Objective phi =
      coefficient_objective(panda.table(), panda.base, panda.quantities, coefficients).objective;
  PenaltyOptions options;
  options.random_starts = 4;
  options.from_reference = false;  // the reference is the published set itself
  const PenaltySolution found =
      solve_penalty(phi, physical_constraints(panda.robot, panda.quantities), panda.robot, options);
  EXPECT_TRUE(found.feasible);
  EXPECT_LE(found.value, phi.value(standard_parameters(panda.robot)));
}

// Published bodies: barycentric inertias to origins and back.
TEST(Panda, InertiasGoToTheOriginAndBack) {
  const Published panda;
  const VectorXd x = standard_parameters(panda.robot);
  const VectorXd p = to_barycentric(panda.quantities, x);
  EXPECT_NEAR(p[11], -0.003141, 1e-15);
  EXPECT_NEAR(p[14], 0.007962, 1e-15);
  EXPECT_LE((from_barycentric(panda.quantities, p) - x).lpNorm<Eigen::Infinity>(), 1e-15);
}

}  // namespace
}  // namespace steelyard
