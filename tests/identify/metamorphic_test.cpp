// The way in which a robot and its logs are written does not matter: names, units, order of joints, direction of axes,
// where the base stands, when the clock began, fixed joints, DH or URDF. Simulated robots, and two real logs, go through
// the whole pipeline as they are and written otherwise; what is said of them agrees to the digits that can be asked
// for.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "identify/metamorphic_cases.hpp"
#include "oracle/data_folder.hpp"

namespace steelyard {
namespace metamorphic_test {
namespace {

// What is said of a study, apart from names, and from base parameters that depend on frames.
struct Said {
  std::vector<std::pair<std::string, double>> numbers;
  VerdictLevel level = VerdictLevel::good;
  std::multiset<std::string> codes;
  std::map<std::string, std::pair<double, double>> base;  // value and standard deviation
  std::vector<std::string> findings;
};

void add_residual(const std::string& what, const ResidualSummary& residual, const std::vector<int>& order,
                  Said& said) {
  said.numbers.emplace_back(what, residual.prepared);
  if (residual.raw) said.numbers.emplace_back(what + " raw", *residual.raw);
  for (std::size_t j = 0; j < residual.per_joint.size(); ++j)
    said.numbers.emplace_back(fmt::format("{} of joint {}", what, j),
                              residual.per_joint[static_cast<std::size_t>(order[j])].rms);
}

// `order`: where joint j stands; empty: where it did.
Said said_of(const Study& study, int dof, std::vector<int> order = {}) {
  const Result result = run_study(study).result;
  if (order.empty())
    for (int j = 0; j < dof; ++j) order.push_back(j);
  Said said;
  said.level = result.verdict.level;
  add_residual("residual", result.residual, order, said);
  add_residual("cross-validation", result.cross_validation->residual, order, said);
  for (const RunValidation& run : result.validation)
    add_residual("run " + run.run, run.residual, order, said);
  for (const Finding& finding : result.findings) {
    said.codes.insert(finding.code);
    said.findings.push_back(finding.code + " " + finding.joint + ": " + finding.evidence);
  }
  for (const BaseValue& value : result.base) said.base[value.name] = {value.value, value.sigma.value_or(0)};
  said.numbers.emplace_back("kept share", result.preparation.kept_share);
  return said;
}

Said said_of(const Case& written, std::vector<int> order = {}) {
  return said_of(study_of(written), written.robot.dof(), std::move(order));
}

// Numbers to a relative `digits`; base values to `sigmas` of their standard deviations, `mapped` as they are in the
// other writing; nothing of them where it is absent.
using Map = std::function<std::pair<std::string, double>(const std::string& name, double value)>;
const Map kSame = [](const std::string& name, double value) { return std::pair(name, value); };

// Findings about single base parameters, which are others in other frames, and verdicts by them.
std::multiset<std::string> without_single_parameters(std::multiset<std::string> codes) {
  codes.erase("poorly-determined");
  codes.erase("poor-excitation");
  return codes;
}

void expect_same(const Said& one, const Said& other, double digits, double sigmas,
                 const Map& mapped = kSame) {
  const bool same_parameters = mapped != nullptr;
  if (same_parameters || one.codes == other.codes) {
    EXPECT_EQ(to_string(other.level), std::string(to_string(one.level)));
  }
  EXPECT_EQ(same_parameters ? other.codes : without_single_parameters(other.codes),
            same_parameters ? one.codes : without_single_parameters(one.codes))
      << fmt::format("{}\n---\n{}", fmt::join(one.findings, "\n"), fmt::join(other.findings, "\n"));
  ASSERT_EQ(other.numbers.size(), one.numbers.size());
  for (std::size_t k = 0; k < one.numbers.size(); ++k)
    EXPECT_NEAR(other.numbers[k].second, one.numbers[k].second, digits * std::abs(one.numbers[k].second))
        << one.numbers[k].first;
  if (!same_parameters) return;
  ASSERT_EQ(other.base.size(), one.base.size());
  for (const auto& [name, value] : one.base) {
    const auto [new_name, new_value] = mapped(name, value.first);
    const auto found = other.base.find(new_name);
    ASSERT_NE(found, other.base.end()) << new_name;
    EXPECT_NEAR(found->second.first, new_value, sigmas * value.second) << name;
  }
}

// Sums of efforts in another order, or of values that were rounded once more: some 1e-16 of the effort, a hundred times
// that of a residual of one per cent, times the condition of a thousand.
constexpr double kRounded = 1e-9;

class Metamorphic : public testing::TestWithParam<Case> {
 public:
  static const Said& as_it_is(const Case& written) {
    static std::map<std::string, Said> known;
    const auto found = known.find(written.name);
    return found != known.end() ? found->second : known[written.name] = said_of(written);
  }
};

// Not a bit.
TEST_P(Metamorphic, Names) {
  expect_same(as_it_is(GetParam()), said_of(renamed(GetParam())), 0, 0);
}

TEST_P(Metamorphic, GravityTurnedWithTheBase) {
  expect_same(as_it_is(GetParam()), said_of(with_turned_base(GetParam())), kRounded, kRounded);
}

// The link's frame stays: an offset of the effort has the other sign, friction and bodies have not.
TEST_P(Metamorphic, DirectionOfAnAxis) {
  expect_same(
      as_it_is(GetParam()), said_of(with_turned_axis(GetParam(), 1)), kRounded, kRounded,
      [](const std::string& name, double value) { return std::pair(name, name == "fo2" ? -value : value); });
}

TEST_P(Metamorphic, FramesOfTheLinks) {
  expect_same(as_it_is(GetParam()), said_of(as_file(GetParam())), kRounded, 0, {});
}

TEST_P(Metamorphic, Urdf) {
  const Case urdf = as_urdf(GetParam());
  expect_same(as_it_is(GetParam()), said_of(urdf, places_of(GetParam().robot, urdf.robot)), kRounded, 0, {});
}

TEST_P(Metamorphic, AFixedJoint) {
  const Said without = said_of(as_urdf(GetParam()));
  expect_same(without, said_of(as_urdf(GetParam(), 1)), kRounded, kRounded);
}

// Stamps whose sums are exact: not a bit. Those of a clock that counts from 1970 have steps of 0.2 µs, one part in 20 000
// of a sample: positions are off by 1e-7 of a radian, accelerations below the cut-off by 1e-4 of themselves.
TEST_P(Metamorphic, TheClock) {
  Case exact = GetParam();
  for (Log& log : exact.logs)
    for (double& time : log.time) time = std::round(time * kRate) / 256;
  expect_same(said_of(exact), said_of(later(exact, 4096)), 0, 0);
  expect_same(as_it_is(GetParam()), said_of(later(GetParam(), 1.7e9)), 1e-2, 0.2);
}

TEST_P(Metamorphic, Units) {
  const Case& written = GetParam();
  Study study = study_of(written);
  const std::string folder = testing::TempDir() + "metamorphic_units";
  std::filesystem::create_directories(folder);
  for (std::size_t r = 0; r < written.logs.size(); ++r)
    study.runs[r] = in_units(written.logs[r], written.robot, fmt::format("{}/{}.csv", folder, r));
  expect_same(as_it_is(written), said_of(study, written.robot.dof()), kRounded, kRounded);
  std::filesystem::remove_all(folder);
}

// The rows within the filter's memory of the cut are lost: a share of them, which moves the estimate by the root of that
// share of its standard deviation; five of them among some fifty values.
TEST_P(Metamorphic, ALogInTwoParts) {
  const Said whole = as_it_is(GetParam()), parts = said_of(cut(GetParam()));
  EXPECT_EQ(to_string(parts.level), std::string(to_string(whole.level)));
  const double lost = 0.1;  // 1 s of 10: four memories of 5/(2 pi 8) s and what blocks leave out
  ASSERT_EQ(parts.base.size(), whole.base.size());
  for (const auto& [name, value] : whole.base)
    EXPECT_NEAR(parts.base.at(name).first, value.first, 5 * std::sqrt(lost) * value.second) << name;
}

INSTANTIATE_TEST_SUITE_P(RandomRobots, Metamorphic, testing::ValuesIn(random_cases()), [](const auto& given) {
  return fmt::format("Seed{}", given.param.name.substr(13));
});

// Columns of another order have other leads, and so other base parameters; the model is the same.
TEST(MetamorphicTree, JointsInAnotherOrder) {
  const Case tree = random_case(8, {.joints = 5, .branches = true, .geometry = oracle::Geometry::urdf});
  std::vector<int> order, parents;
  for (const Joint& joint : tree.robot.joints) parents.push_back(joint.parent);
  // The last joint that may come first, again and again.
  std::set<int> placed = {-1};
  while (order.size() < parents.size())
    for (int j = static_cast<int>(parents.size()) - 1; j >= 0; --j)
      if (!placed.contains(j) && placed.contains(parents[static_cast<std::size_t>(j)])) {
        order.push_back(j), placed.insert(j);
        break;
      }
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  ASSERT_FALSE(std::is_sorted(order.begin(), order.end())) << "the tree is a chain";
  expect_same(Metamorphic::as_it_is(tree), said_of(reordered(tree, order), place), kRounded, 0, {});
}

// Twice the rate shows nothing new of signals below a tenth of it. Differences of sixth order are exact to 1e-7 there; the
// filters differ by their warping near half the rate, a few 1e-3 of the weight of what is near the cut-off; and blocks that
// are left out end at other instants.
TEST(MetamorphicRate, TwiceTheSamples) {
  for (const std::uint64_t seed : {3U, 5U}) {
    Case slow = random_case(seed, {.joints = 3, .geometry = oracle::Geometry::any}, kRate, false);
    Case fast = random_case(seed, {.joints = 3, .geometry = oracle::Geometry::any}, 2 * kRate, false);
    for (Case* written : {&slow, &fast}) {
      written->settings.prepare.difference_order = 6;
      written->settings.drives.coulomb = false;
    }
    expect_same(said_of(slow), said_of(fast), 0.05, 0.2);
  }
}

// The logs of two robots, one link's frame at its far end, the other's at its joint.
class MetamorphicReal : public testing::TestWithParam<const char*> {};

TEST_P(MetamorphicReal, SayTheSameWrittenOtherwise) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Case log = real_case(GetParam());
  const Said said = said_of(log);
  expect_same(said, said_of(renamed(log)), 0, 0);
  expect_same(said, said_of(with_turned_base(log)), kRounded, kRounded);
  expect_same(
      said, said_of(with_turned_axis(log, 3)), kRounded, kRounded,
      [](const std::string& name, double value) { return std::pair(name, name == "fo4" ? -value : value); });
  expect_same(said, said_of(as_urdf(log)), kRounded, 0, {});
}

INSTANTIATE_TEST_SUITE_P(Logs, MetamorphicReal,
                         testing::Values("panda-identify/study.yaml", "ur10-real/linear.yaml"),
                         [](const auto& given) { return std::string(given.index == 0 ? "Panda" : "UR10"); });

}  // namespace
}  // namespace metamorphic_test
}  // namespace steelyard
