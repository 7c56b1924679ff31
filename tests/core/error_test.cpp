#include "steelyard/core/error.hpp"

#include <gtest/gtest.h>

namespace steelyard {
namespace {

TEST(Place, NamesFileLineColumnAndJoint) {
  EXPECT_EQ((Place{"panda.yaml", 12, 5, "wrist_1"}.to_string()), "panda.yaml:12:5, 'wrist_1'");
  EXPECT_EQ((Place{"panda.yaml", 12, 0, ""}.to_string()), "panda.yaml:12");
  EXPECT_EQ((Place{"panda.yaml", 0, 0, ""}.to_string()), "panda.yaml");
}

TEST(Place, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(Place{}.to_string(), "");
  EXPECT_EQ((Place{"", 3, 4, ""}.to_string()), "line 3:4");
  EXPECT_EQ((Place{"", 0, 0, "elbow"}.to_string()), "'elbow'");
}

TEST(Complaint, ReadsPlaceWhatLimitRemedy) {
  const Complaint complaint{"mass -1 kg", {"arm.yaml", 2, 7, ""}, "must be positive", "weigh the link"};
  EXPECT_EQ(complaint.to_string(), "arm.yaml:2:7: mass -1 kg (must be positive); weigh the link");
  EXPECT_EQ((Complaint{"mass -1 kg", {}, "", ""}.to_string()), "mass -1 kg");
}

TEST(Error, CarriesItsComplaintAndPrintsIt) {
  try {
    throw InputError({"bad", {"a.yaml", 1, 1, ""}, "good", "do good"});
  } catch (const Error& error) {
    EXPECT_EQ(error.complaint().remedy, "do good");
    EXPECT_EQ(std::string(error.what()), error.complaint().to_string());
  }
}

TEST(Error, KindsAreApart) {
  EXPECT_FALSE((std::is_base_of_v<InputError, MachineError>));
  EXPECT_FALSE((std::is_base_of_v<Error, InternalError>));
  EXPECT_THROW(require(false, "broken"), InternalError);
  EXPECT_NO_THROW(require(true, "whole"));
}

}  // namespace
}  // namespace steelyard
