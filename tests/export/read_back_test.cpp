// Exported files through the programs they are for, and through our own readers.
#include "steelyard/export/read_back.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "export/random_model.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/export/formats.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

// Modules lie in the build's folder, not beside the test.
const int kNamed = ::setenv("STEELYARD_ENGINES", STEELYARD_ENGINES_FOLDER, 1);

constexpr double kAgreement = 1e-9;  // what every export has to reach in MuJoCo and DART

ExportModel drawn_model(std::uint64_t seed) {
  oracle::RandomRobotOptions robot_options;
  robot_options.branches = seed % 2 == 0;
  oracle::Random random(seed);
  ExportModel model = oracle::random_model(oracle::random_robot(seed, robot_options), random);
  model.robot.name = "<\"a & b\">";
  model.robot.base = {{Motion::turn_x, 0.3, "tilt"}, {Motion::move_z, 0.2, "height"}};
  for (Drive& drive : model.parameters.drives) {
    drive.rotor_inertia = random.uniform(0.01, 1);
    drive.friction.viscous = random.uniform(0.01, 1);
    drive.friction.coulomb = random.uniform(0.01, 1);
  }
  return model;
}

std::vector<std::string> names_of(const Robot& robot) {
  std::vector<std::string> names;
  for (const Joint& joint : robot.joints) names.push_back(joint.name);
  return names;
}

void expect_agreement(const std::vector<ReadBack>& readers, const std::vector<std::string>& wanted,
                      const std::string& what) {
  std::vector<std::string> names;
  for (const ReadBack& reader : readers) {
    names.push_back(reader.reader);
    EXPECT_EQ(reader.refusal, "") << what;
    EXPECT_LT(reader.error, kAgreement) << what << " by " << reader.reader;
  }
  EXPECT_EQ(names, wanted) << what;
}

TEST(ReadBack, MjcfByMujocoWithRotorsAndDamping) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const ExportModel model = drawn_model(seed);
    expect_agreement(read_by_engines("mjcf", to_mjcf(model).text, model, names_of(model.robot)), {"mujoco"},
                     "seed " + std::to_string(seed));
  }
}

// Dry friction of the engines is a constraint: fc sign(q̇) where joints move on, against the motion to come
// where they are braked (MuJoCo: from the acceleration at once).
TEST(ReadBack, DryFrictionOfTheEnginesIsToldFromAForceByTheSignOfTheVelocity) {
  const ExportModel model = drawn_model(1);
  const Index n = model.robot.size();
  VectorXd coulomb(n);
  for (Index j = 0; j < n; ++j)
    coulomb[j] = model.parameters.drives[static_cast<std::size_t>(j)].friction.coulomb;
  const VectorXd q = VectorXd::Zero(n), one = VectorXd::Ones(n);
  for (const auto& [kind, format, text] : {std::tuple{EngineKind::mujoco, "mjcf", to_mjcf(model).text},
                                           {EngineKind::dart, "sdf", to_sdf(model).text}}) {
    EngineFile file;
    file.format = format;
    file.path = testing::TempDir() + "dry." + format;
    file.text = text;
    file.joints = names_of(model.robot);
    file.gravity = model.robot.gravity;
    std::ofstream(file.path) << text;
    Engine engine(kind, file);
    for (const double velocity : {1.0, -1.0})
      EXPECT_LT((engine.dry_friction(q, velocity * one, velocity * one) - velocity * coulomb).norm(), 1e-9)
          << format;
    // Constraints leave no trace in the inverse dynamics.
    EXPECT_EQ(engine.inverse(q, one, one), engine.inverse(q, one, one));
    if (kind == EngineKind::mujoco) {
      EXPECT_LT((engine.dry_friction(q, 1e-3 * one, -10 * one) + coulomb).norm(), 1e-9);
    }
    const auto readers = read_by_engines(format, text, model, file.joints);
    ASSERT_EQ(readers.size(), 1u);
    ASSERT_TRUE(readers[0].dry_friction.has_value());
    EXPECT_LE(readers[0].dry_friction->slow, 2 + 1e-9);
    // Some of the slow states are braked hard; DART's step of 1 ms ends before these joints turn around.
    EXPECT_EQ(readers[0].dry_friction->slow > 1, kind == EngineKind::mujoco) << readers[0].dry_friction->slow;
  }
}

TEST(ReadBack, SdfByDartWithDamping) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const ExportModel model = drawn_model(seed);
    const ExportedText text = to_sdf(model);
    EXPECT_LT(text.error, 1e-12) << seed;  // our own reader: nothing but rounding
    expect_agreement(read_by_engines("sdf", text.text, model, names_of(model.robot)), {"dart"},
                     "seed " + std::to_string(seed));
  }
}

TEST(ReadBack, UrdfsOfRealRobotsByMujocoAndDart) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* file : {"kuka_lwr4_flobaroid/kuka_lwr4.urdf", "tiago_figaroh/tiago_48_schunk.urdf",
                           "staubli_tx40/tx40_mdh_modified.urdf", "kinova_gen3/gen3.urdf"}) {
    const std::string path = (*data / file).string(), original = read_text_file(path, "URDF");
    oracle::Random random(3);
    ExportModel model = oracle::random_model(read_robot_urdf(original, path).robot, random);
    for (Drive& drive : model.parameters.drives) drive.friction.viscous = random.uniform(0, 1);
    const ExportedText out = to_urdf(model, original, path);
    expect_agreement(read_by_engines("urdf", out.text, model, out.joints), {"mujoco", "dart"}, file);
  }
}

TEST(ReadBack, AFileThatAnEngineRefusesIsSaidToBeSo) {
  const ExportModel model = drawn_model(1);
  const auto readers = read_by_engines("mjcf", "<mujoco><nonsense/></mujoco>", model, names_of(model.robot));
  ASSERT_EQ(readers.size(), 1u);
  EXPECT_THAT(readers[0].refusal, HasSubstr("mujoco cannot read it"));
}

TEST(RobotFile, YamlIsARobotFileOfTheSameRobot) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const ExportModel model = drawn_model(seed);
    const RobotFileText yaml = to_robot_yaml(model);
    EXPECT_LT(yaml.error, 1e-12) << seed;
    EXPECT_THAT(yaml.text, HasSubstr("# SI units"));
    EXPECT_LT(to_robot_json(model).error, 1e-12) << seed;
    EXPECT_EQ(to_parameters_yaml(model).error, 0) << seed;
  }
}

// Standard DH has link frames at the far end: bodies are turned, efforts stay.
TEST(RobotFile, OfADhTableKeepsEveryEffort) {
  for (const char* name : {"two_r", "tx40"}) {
    ExportModel model{read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot, {}};
    oracle::Random random(7);
    model = oracle::random_model(model.robot, random);
    model.parameters.pairs.resize(model.robot.pairs.size());
    const ExportModel moved = with_joint_frames(model);
    for (const ExportState& state : export_states(model.robot, 5)) {
      const VectorXd wanted = model_effort(model, state.q, state.qd, state.qdd);
      EXPECT_LT((model_effort(moved, state.q, state.qd, state.qdd) - wanted).norm(), 1e-12 * wanted.norm());
    }
    EXPECT_LT(to_robot_yaml(model).error, 1e-12) << name;
    const Robot back = read_robot_yaml(to_robot_yaml(model).text, "back").robot;
    EXPECT_EQ(back.pairs.size(), model.robot.pairs.size());
    EXPECT_EQ(back.transmission.matrix, model.robot.transmission.matrix);
  }
}

}  // namespace
}  // namespace steelyard
