// Studies made in code: a robot and samples in memory give what the same robot and samples in files give.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>

#include "oracle/data_folder.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace in_memory_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::string kRobot = STEELYARD_SOURCE_DIR "/robots/two_r.yaml";

// Two motions of the 2R arm with friction and noise.
Run simulated_run(const std::string& label, std::uint64_t seed) {
  const Robot robot = read_robot(kRobot).robot;
  RandomMotion motion;
  motion.period = 10;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Ones(1);
  SimulateOptions options;
  options.label.label = label;
  options.rate = 200;
  options.velocity = VelocityChannel::none;
  options.effort_noise = VectorXd::Constant(1, 0.05);
  options.seed = seed;
  TrueParameters truth = true_parameters(robot);
  truth.drives.resize(2);
  truth.drives[0].friction.viscous = truth.drives[1].friction.viscous = 0.7;
  return simulate(robot, truth, random_multi_sine(motion, seed), options);
}

MatrixXd channel_of(const Run& run, const char* name) {
  return Eigen::Map<const Eigen::MatrixXd>(run.samples.row(run.samples.find(name)), run.samples.size(), 2);
}

StudyRun from_arrays(const Run& run) {
  return run_from_arrays(run.label.label,
                         Eigen::Map<const Eigen::VectorXd>(run.samples.time(), run.samples.size()),
                         channel_of(run, "position"), channel_of(run, "torque"));
}

StudyRun from_file(const Run& run, const std::string& path) {
  const std::vector<LogJoint> joints = log_joints(read_robot(kRobot).robot);
  StudyRun out;
  out.file = standard_columns(path, run.samples.channels(), joints);
  write_csv(run, out.file, joints);
  out.file.label = run.label;
  return out;
}

Study settings() {
  Study study;
  study.drives.viscous = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  study.estimate.weighting = Weighting::by_row;
  return study;
}

Study in_memory() {
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  study.runs = {from_arrays(simulated_run("monday", 1)), from_arrays(simulated_run("tuesday", 2))};
  study.runs[1].file.label.role = RunRole::validate;
  return study;
}

Study in_files() {
  const std::string folder = testing::TempDir();
  Study study = settings();
  study.robot_path = kRobot;
  study.runs = {from_file(simulated_run("monday", 1), folder + "/in_memory_1.csv"),
                from_file(simulated_run("tuesday", 2), folder + "/in_memory_2.csv")};
  study.runs[1].file.label.role = RunRole::validate;
  return study;
}

std::string refusal(const Study& study) {
  try {
    run_study(study);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InMemory, GivesTheBitsOfFiles) {
  Result memory = run_study(in_memory()).result, files = run_study(in_files()).result;
  ASSERT_EQ(memory.base.size(), files.base.size());
  ASSERT_GT(memory.base.size(), 4U);
  for (std::size_t k = 0; k < memory.base.size(); ++k) {
    EXPECT_EQ(memory.base[k].value, files.base[k].value) << memory.base[k].name;
    EXPECT_EQ(memory.base[k].sigma, files.base[k].sigma);
  }
  EXPECT_NE(memory.robot_hash, files.robot_hash);
  memory.provenance = files.provenance = {};
  memory.robot_hash = files.robot_hash = "";
  EXPECT_EQ(to_json(memory), to_json(files));
}

// A real log, read from its file and handed over as arrays.
TEST(InMemory, ThePandasLogGivesTheBitsOfItsFile) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(STEELYARD_SOURCE_DIR "/examples/panda-identify/study.yaml");
  study.feasible.reset();
  study.intervals.bias_check = false;
  study.intervals.method = IntervalMethod::classical;
  Result files = run_study(study).result;
  const SampleBlock log = read_all(*open_study_run(study.runs[0], study_robot(study)));
  const auto channel = [&](const char* name) -> MatrixXd {
    return Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>(
        log.row(log.find(name)), log.size(), log.joints(), Eigen::OuterStride<>(log.stride()));
  };
  study.robot = read_robot(study.robot_path).robot;
  study.runs = {run_from_arrays("excitation", Eigen::Map<const Eigen::VectorXd>(log.time(), log.size()),
                                channel("position"), channel("torque"), channel("velocity"))};
  Result arrays = run_study(study).result;
  ASSERT_EQ(arrays.base.size(), 64U);
  arrays.provenance = files.provenance = {};
  arrays.robot_hash = files.robot_hash = "";
  EXPECT_EQ(to_json(arrays), to_json(files));
}

TEST(InMemory, FilesNamedInCodeAreRecognised) {
  const Study study = in_files();
  const Result result = run_study(study).result;
  EXPECT_EQ(result.provenance.inputs[0].path, kRobot);
  const StudyOutcome validated = validate_study(study, result);
  EXPECT_FALSE(validated.result.validation[0].fresh) << "the model was fitted to this very log";
  EXPECT_TRUE(validated.result.validation[1].fresh);
}

TEST(InMemory, ProvenanceSaysSoWithHashes) {
  const Study study = in_memory();
  const Provenance provenance = run_study(study).result.provenance;
  ASSERT_EQ(provenance.inputs.size(), 3U);
  for (const InputFile& input : provenance.inputs) {
    EXPECT_THAT(input.path, StartsWith("in memory"));
    EXPECT_EQ(input.sha256.size(), 64U);
  }
  EXPECT_NE(provenance.inputs[1].sha256, provenance.inputs[2].sha256);
  EXPECT_EQ(provenance.inputs[0].sha256, robot_hash(study));
  EXPECT_THAT(provenance.options, HasSubstr(R"("robot":"in memory")"));
  EXPECT_THAT(provenance.options, HasSubstr(R"("file":"in memory: tuesday")"));
  EXPECT_TRUE(study_inputs(study).empty());
}

TEST(InMemory, EveryStepTakesIt) {
  const Study study = in_memory();
  const Result result = run_study(study).result;
  EXPECT_TRUE(check_study(study).is_trustworthy());
  EXPECT_EQ(study_scene(study).motions.size(), 2U);
  EXPECT_EQ(fold_study(study).size(), 2U);
  require_same_robot(study, study_robot(study), result);
  const StudyOutcome validated = validate_study(study, result);
  ASSERT_EQ(validated.result.validation.size(), 2U);
  EXPECT_FALSE(validated.result.validation[0].fresh) << "the model was fitted to these very samples";
  EXPECT_TRUE(validated.result.validation[1].fresh);

  Study other = study;
  other.robot->joints[1].inertia.reset();
  EXPECT_NE(robot_hash(other), robot_hash(study));
  EXPECT_THROW(require_same_robot(other, study_robot(other), result), InputError);
}

TEST(InMemory, FaultsAreRefusedByName) {
  const auto run = simulated_run("monday", 1);
  const VectorXd time = Eigen::Map<const Eigen::VectorXd>(run.samples.time(), run.samples.size());
  const MatrixXd q = channel_of(run, "position"), torque = channel_of(run, "torque");
  EXPECT_THROW(run_from_arrays("monday", time, q, torque.topRows(9)), InputError);
  EXPECT_THROW(run_from_arrays("monday", time.head(9), q, torque), InputError);
  EXPECT_THROW(run_from_arrays("monday", time, q, torque, q.leftCols(1)), InputError);

  Study study = in_memory();
  const auto with = [&](const VectorXd& t, const MatrixXd& positions, const MatrixXd& efforts) {
    study.runs[0] = run_from_arrays("monday", t, positions, efforts);
    return refusal(study);
  };
  VectorXd back = time;
  back[100] = back[99];
  EXPECT_THAT(with(back, q, torque), HasSubstr("run 'monday' in memory: time does not increase: sample 101"));
  MatrixXd broken = torque;
  broken(7, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(with(time, q, broken), HasSubstr("sample 8 of channel 'torque', joint 2 holds 'nan'"));
  EXPECT_THAT(with(time, q.leftCols(1), torque.leftCols(1)),
              HasSubstr("samples of 1 joints, the robot has 2"));
  EXPECT_THAT(with(time.head(1), q.topRows(1), torque.topRows(1)), HasSubstr("1 samples"));

  study = in_memory();
  study.runs[1].file.label.label = "monday";
  EXPECT_THAT(refusal(study), HasSubstr("two runs are labelled 'monday'"));
  study = in_memory();
  study.runs[0].file.path = "log.csv";
  EXPECT_THAT(refusal(study), HasSubstr("run 'monday' has more than one of samples in memory"));
  study = in_memory();
  study.runs[0].samples.reset();
  EXPECT_THAT(refusal(study), HasSubstr("run 'monday' has none of samples in memory"));
  study = in_memory();
  study.runs[0].file.label.role = RunRole::validate;
  EXPECT_THAT(refusal(study), HasSubstr("no run has the role 'fit'"));
  study = in_memory();
  study.robot->joints[1].axis = Vector3(0, 0, 2);
  EXPECT_NE(refusal(study), "accepted");
}

// What the reader refuses key by key, a study made in code is refused for as well.
TEST(InMemory, ContradictionsAreRefusedByName) {
  Study study = in_memory();
  study.robot.reset();
  EXPECT_THAT(refusal(study), HasSubstr("the study has no robot"));
  study = in_memory();
  study.runs[0].file.label.label = "";
  EXPECT_THAT(refusal(study), HasSubstr("a label of 0 bytes"));
  study = in_memory();
  steelyard::Run run = *study.runs[0].samples;
  run.samples = SampleBlock({"position"}, 2, 10);
  for (Index s = 0; s < 10; ++s) run.samples.time()[s] = static_cast<double>(s);
  study.runs[0] = run_from_samples("monday", run);
  EXPECT_THAT(refusal(study), HasSubstr("no channel 'torque' and no 'current'"));
  study = in_memory();
  study.waive = {"effort-dealy"};
  EXPECT_THAT(refusal(study), HasSubstr("did you mean 'effort-delay'"));
  study = in_memory();
  study.exports = {{ExportFormat::urdf, "arm.urdf", ""}};
  EXPECT_THAT(refusal(study), HasSubstr("'arm.urdf': `urdf` and `from` belong together"));
  study = in_memory();
  study.reverse.emplace();
  EXPECT_THAT(refusal(study), HasSubstr("reverse has no 'source'"));
  study = in_memory();
  study.runs[0].folded = std::make_shared<const FoldedRun>(fold_study(in_memory()).front());
  study.runs[0].samples.reset();
  EXPECT_THAT(refusal(study), HasSubstr("run 'monday' has folds without their file"));
  study.runs[0].file.path = "monday.fold";
  study.drive_spec.friction.emplace();
  study.drive_spec.friction->form = FrictionForm::stribeck;
  EXPECT_THAT(refusal(study), HasSubstr("cannot be identified from folds"));
}

// Currents of drives with gains 2 and 3.
TEST(InMemory, GainsAreIdentifiedOrRefused) {
  Study study = in_memory();
  for (StudyRun& run : study.runs) {
    steelyard::Run with = *run.samples;
    const Index current = with.samples.add_channel("current");
    for (Index j = 0; j < 2; ++j)
      for (Index s = 0; s < with.samples.size(); ++s)
        with.samples.row(current, j)[s] =
            with.samples.row(with.samples.find("torque"), j)[s] / static_cast<double>(2 + j);
    const RunRole role = run.file.label.role;
    run = run_from_samples(run.file.label.label, with);
    run.file.label.role = role;
  }
  study.gains.emplace();
  EXPECT_THAT(refusal(study), HasSubstr("has currents and torques"));
  for (StudyRun& run : study.runs) {
    steelyard::Run only = *run.samples;
    only.samples = SampleBlock({"position", "current"}, 2, only.samples.size());
    std::copy_n(run.samples->samples.time(), only.samples.size(), only.samples.time());
    for (const char* name : {"position", "current"})
      for (Index j = 0; j < 2; ++j)
        std::copy_n(run.samples->samples.row(run.samples->samples.find(name), j), only.samples.size(),
                    only.samples.row(only.samples.find(name), j));
    const RunRole role = run.file.label.role;
    run = run_from_samples(run.file.label.label, only);
    run.file.label.role = role;
  }
  study.gains->known = VectorXd(2);
  study.gains->known << 2, 3;
  const Result known = run_study(study).result, torques = run_study(in_memory()).result;
  ASSERT_EQ(known.base.size(), torques.base.size());
  for (std::size_t k = 0; k < known.base.size(); ++k)
    EXPECT_NEAR(known.base[k].value, torques.base[k].value, 1e-9 * (1 + std::abs(torques.base[k].value)));
  study.gains->known.resize(0);
  study.gains->methods.clear();
  EXPECT_THAT(refusal(study), HasSubstr("gains without a method"));
}

// A window of a run is the run that has only those samples.
TEST(InMemory, AWindowIsTheCutRun) {
  const steelyard::Run whole = simulated_run("monday", 1);
  steelyard::Run cut = whole;
  cut.samples.drop_front(400);
  cut.samples.resize(1000);  // 2 ≤ t < 7 s at 200 Hz
  cut.samples.pack();
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  study.runs = {from_arrays(cut)};
  const Result expected = run_study(study, {}).result;
  study.runs = {from_arrays(whole)};
  study.runs[0].window = {2, 7};
  const Result found = run_study(study, {}).result;
  EXPECT_EQ(found.samples, expected.samples);
  ASSERT_EQ(found.base.size(), expected.base.size());
  for (std::size_t k = 0; k < found.base.size(); ++k) EXPECT_EQ(found.base[k].value, expected.base[k].value);
}

TEST(InMemory, AWindowedRunIsDividedBeforeItIsUsed) {
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  StudyRun run = from_arrays(simulated_run("monday", 1));
  run.windows = {{0, 4}, {5, 9}};
  study.runs = {run};
  EXPECT_THAT([&] { run_study(study, {}); }, testing::ThrowsMessage<InputError>(HasSubstr("divided()")));
  study.runs = divided(run);
  const Result result = run_study(study, {}).result;
  EXPECT_EQ(result.samples, 2 * 800);
}

// One cause, whatever the number of runs that have it.
TEST(InMemory, TheSameFaultOfSeveralRunsIsOneFinding) {
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    steelyard::Run run = simulated_run("run " + std::to_string(seed), seed);
    double* torque = run.samples.row(run.samples.find(channel::kTorque), 1);
    for (Index s = 7 + static_cast<Index>(seed); s < run.samples.size(); s += 50) torque[s] = 0;
    run.samples.row(run.samples.find(channel::kTorque), 0)[700] += 500;
    study.runs.push_back(from_arrays(run));
    study.runs.back().file.label.role = seed == 3 ? RunRole::validate : RunRole::fit;
  }
  std::map<std::string, int> count;
  for (const Finding& finding : check_study(study, {}).findings)
    if (finding.severity != Severity::note) ++count[finding.code];
  EXPECT_EQ(count["effort-dropout"], 1);
  EXPECT_EQ(count["spike"], 1);
}

// A quarter of the run is missing: no row, no prediction and no finding comes from the line across the gap.
TEST(InMemory, AGapCostsItsRowsAndNothingElse) {
  const steelyard::Run whole = simulated_run("monday", 1);
  steelyard::Run gap = whole;
  gap.samples = SampleBlock(whole.samples.channels(), 2);
  gap.samples.append(whole.samples, 0, 800);
  gap.samples.append(whole.samples, 1300, whole.samples.size() - 1300);
  gap.samples.pack();
  Study study = settings();
  study.robot = read_robot(kRobot).robot;
  study.runs = {from_arrays(whole)};
  const Result expected = run_study(study, {}).result;
  study.runs = {from_arrays(gap)};
  const StudyOutcome outcome = run_study(study, {});
  const Result& found = outcome.result;
  // Nothing is drawn where nothing was logged.
  const double from = whole.samples.time()[800], to = whole.samples.time()[1299];
  for (const EffortCurve& curve : outcome.curves)
    for (std::size_t k = 0; k < curve.time.size(); ++k) {
      const bool is_missing = std::isnan(curve.measured_max[k]);
      EXPECT_EQ(is_missing, std::isnan(curve.residual_min[k]));
      if (curve.time[k] > from && curve.time[k] < to) {
        EXPECT_TRUE(is_missing) << curve.time[k];
      } else if (curve.time[k] < from - 1 || curve.time[k] > to + 1) {
        EXPECT_FALSE(is_missing) << curve.time[k];
      }
    }
  EXPECT_LT(found.rows, expected.rows);
  EXPECT_NEAR(found.residual.prepared, expected.residual.prepared, 0.3 * expected.residual.prepared);
  EXPECT_NEAR(*found.residual.raw, *expected.residual.raw, 0.3 * *expected.residual.raw);
  for (const Finding& finding : found.findings) EXPECT_NE(finding.severity, Severity::error) << finding.code;
}

// Link frames at the joints instead of those of the DH table; the same bodies.
Robot with_frames_at_joints(Robot robot) {
  Steps moved;
  for (Joint& joint : robot.joints) {
    const Pose after = to_pose(joint.after);
    joint.inertia = joint.inertia->expressed_in(after);
    joint.before.insert(joint.before.begin(), moved.begin(), moved.end());
    moved = std::move(joint.after);
    joint.after.clear();
  }
  return robot;
}

TEST(GivenLinks, StandBesideAModelWhateverTheirFrames) {
  const Robot robot = read_robot(kRobot).robot;
  Study study;
  study.robot = robot;
  study.drives.viscous = true;
  study.intervals.bias_check = false;
  study.runs.push_back(from_arrays(simulated_run("monday", 1)));
  const Result model = run_study(study).result;
  study.runs = {from_arrays(simulated_run("tuesday", 2))};
  const Result compared =
      compare_models(study, {{"model", model},
                             model_with_links(study, model, robot, "file"),
                             model_with_links(study, model, with_frames_at_joints(robot), "frames")})
          .result;
  ASSERT_EQ(compared.comparison.size(), 3U);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(compared.comparison[1].mse[j], compared.comparison[0].mse[j],
                0.1 * compared.comparison[0].mse[j]);
    EXPECT_NEAR(compared.comparison[2].mse[j], compared.comparison[1].mse[j],
                1e-9 * compared.comparison[1].mse[j]);
  }
  Robot other = robot;
  other.joints[1].before.push_back({Motion::turn_z, 0.1, ""});
  EXPECT_NO_THROW(model_with_links(study, model, other, "turned frame"));
  other.joints[1].before.push_back({Motion::turn_x, 0.1, ""});
  EXPECT_THAT([&] { model_with_links(study, model, other, "other.urdf"); },
              testing::ThrowsMessage<InputError>(HasSubstr("joint2 moves otherwise")));
  other = robot;
  other.joints[0].inertia.reset();
  EXPECT_THROW(model_with_links(study, model, other, "no inertia"), InputError);
}

}  // namespace
}  // namespace in_memory_test
}  // namespace steelyard
