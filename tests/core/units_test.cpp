#include "steelyard/core/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <numbers>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

using std::numbers::pi;
using ::testing::HasSubstr;

std::string message(std::string_view text) {
  try {
    parse_unit(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Unit, FactorsAreThoseOfTheSi) {
  const std::vector<std::tuple<const char*, double, Dimension>> cases{
      {"rad", 1, dimension::kAngle},
      {"deg", pi / 180, dimension::kAngle},
      {"rev", 2 * pi, dimension::kAngle},
      {"deg/s", pi / 180, dimension::kAngularVelocity},
      {"rpm", 2 * pi / 60, dimension::kAngularVelocity},
      {"rad/s^2", 1, dimension::kAngularAcceleration},
      {"deg/s/s", pi / 180, dimension::kAngularAcceleration},
      {"mm", 1e-3, dimension::kLength},
      {"cm/s", 1e-2, dimension::kVelocity},
      {"m/s^2", 1, dimension::kAcceleration},
      {"us", 1e-6, dimension::kTime},
      {"min", 60, dimension::kTime},
      {"1/min", 1.0 / 60, dimension::kFrequency},
      {"kHz", 1e3, dimension::kFrequency},
      {"g", 1e-3, dimension::kMass},
      {"kg*m", 1, dimension::kFirstMoment},
      {"kg*m^2", 1, dimension::kInertia},
      {"g*mm^2", 1e-9, dimension::kInertia},
      {"kN", 1e3, dimension::kForce},
      {"kg*m/s^2", 1, dimension::kForce},
      {"Nm", 1, dimension::kTorque},
      {"N*m", 1, dimension::kTorque},
      {"N.m", 1, dimension::kTorque},
      {"N·m", 1, dimension::kTorque},
      {"mNm", 1e-3, dimension::kTorque},
      {"N mm", 0, {}},
      {"mA", 1e-3, dimension::kCurrent},
      {"mV", 1e-3, dimension::kVoltage},
      {"N*m/s/A", 1, dimension::kVoltage},
      {"N*m/A", 1, dimension::kTorqueConstant},
      {"N*m/rad", 1, dimension::kAngularStiffness},
      {"N*m/(rad/s)", 1, dimension::kAngularViscosity},
      {"N*m*s/deg", 180 / pi, dimension::kAngularViscosity},
      {"%", 1e-2, dimension::kNone},
      {"1", 1, dimension::kNone},
      {"kg·m²", 1, dimension::kInertia},
      {"°/s", pi / 180, dimension::kAngularVelocity},
      {"µs", 1e-6, dimension::kTime},
      {" N * m ^ 1 ", 1, dimension::kTorque},
      {"m^-1", 1, {-1, 0, 0, 0, 0}},
      {"m^0", 1, dimension::kNone},
  };
  for (const auto& [text, factor, expected] : cases) {
    if (factor == 0) {
      EXPECT_THROW(parse_unit(text), InputError) << text;
      continue;
    }
    const Unit unit = parse_unit(text);
    // One rounding each for the scale, the power of ten and their product.
    EXPECT_NEAR(unit.factor, factor, 3 * DBL_EPSILON * factor) << text;
    EXPECT_EQ(unit.dimension, expected) << text << ": " << unit.dimension.to_string();
    EXPECT_EQ(unit.text, text);
  }
}

TEST(Unit, DecimalPrefixesAreRoundedOnce) {
  EXPECT_EQ(parse_unit("mm^3").factor, 1e-9);
  EXPECT_EQ(parse_unit("g*mm^2").factor, 1e-9);
  EXPECT_EQ(parse_unit("km/ms").factor, 1e6);
}

TEST(Unit, ThereAndBackIsUnchanged) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(kSeed);
  Random random(kSeed, "units");
  for (const char* text : {"deg", "rpm", "mA", "%", "mm", "g*mm^2"}) {
    const Unit unit = parse_unit(text);
    for (int i = 0; i < 100; ++i) {
      const double value = random.normal();
      // A product and a quotient: one rounding each.
      EXPECT_NEAR(unit.from_si(unit.to_si(value)), value, 2 * DBL_EPSILON * std::abs(value)) << text;
    }
  }
  EXPECT_DOUBLE_EQ(parse_unit("deg").to_si(180), pi);
  EXPECT_DOUBLE_EQ(parse_unit("%").to_si(50), 0.5);
}

TEST(Unit, UnknownSymbolsComeWithTheNearestOne) {
  EXPECT_THAT(message("degs"), HasSubstr("unknown unit 'degs'"));
  EXPECT_THAT(message("degs"), HasSubstr("did you mean 'deg'?"));
  EXPECT_THAT(message("N*mn"), HasSubstr("unknown unit 'mn' in 'N*mn'"));
  EXPECT_THAT(message("RPM"), HasSubstr("did you mean 'rpm'?"));
  EXPECT_THAT(message("parsec"), HasSubstr("known: 1, %, rad"));
}

TEST(Unit, BadSyntaxIsRefusedWithItsColumn) {
  for (const char* text : {"", " ", "*", "m*", "/s", "m^", "m^x", "m^10", "m^99999999999", "(m", "m)", "m m",
                           "2", "m^1.5", "1e3", "N**m", "()", "m\x01"}) {
    EXPECT_THROW(parse_unit(text), InputError) << text;
  }
  EXPECT_THAT(message("m*/s"), HasSubstr("expected a unit at column 3"));
  EXPECT_THAT(message("kg*m)"), HasSubstr("unexpected ')' at column 5"));
  EXPECT_THROW(parse_unit(std::string(100000, '(')), InputError);
  EXPECT_THROW(parse_unit("((km^9)^9)^9"), InputError);  // factor 1e2187
}

TEST(Unit, OtherDimensionsAreRefused) {
  EXPECT_NO_THROW(parse_unit("deg/s", dimension::kAngularVelocity));
  try {
    parse_unit("deg/s", dimension::kAngle, {"study.yaml", 9, 4, ""});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "study.yaml:9:4: the unit 'deg/s' is of dimension angular velocity (rad/s) (expected angle (rad)); "
        "give the unit of the numbers");
  }
  EXPECT_THROW(parse_unit("Hz", dimension::kAngularVelocity), InputError);
  EXPECT_THROW(parse_unit("N", dimension::kTorque), InputError);
}

TEST(Dimension, AngleMayBeDropped) {
  EXPECT_TRUE(same_up_to_angle(parse_unit("N*m*s").dimension, dimension::kAngularViscosity));
  EXPECT_FALSE(same_up_to_angle(parse_unit("N*m").dimension, dimension::kAngularViscosity));
}

TEST(Dimension, WithoutANameIsWrittenInBaseUnits) {
  EXPECT_EQ(parse_unit("N/s^2").dimension.to_string(), "kg*m/s^4");
  EXPECT_EQ(parse_unit("1/A/rad^2").dimension.to_string(), "1/A/rad^2");
  EXPECT_EQ(parse_unit("N*m").dimension.to_string(), "torque (N*m)");
}

}  // namespace
}  // namespace steelyard
