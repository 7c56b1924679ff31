#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

#include "array_test.hpp"
#ifdef STEELYARD_WITH_MATIO
#include <matio.h>
#endif

namespace steelyard {
namespace {

using testing::HasSubstr;

#ifdef STEELYARD_WITH_MATIO

struct Array {
  std::string name;
  std::size_t rows;
  std::size_t columns;
  std::vector<double> values;
};

matvar_t* make(Array array) {
  std::size_t sizes[2] = {array.rows, array.columns};
  return Mat_VarCreate(array.name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, array.values.data(), 0);
}

struct Form {
  mat_ft version;
  matio_compression compression;
};

// Writes and frees the variables.
void write_variables(const std::string& path, const std::vector<matvar_t*>& variables, Form form) {
  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, form.version);
  ASSERT_NE(file, nullptr);
  for (matvar_t* variable : variables) {
    ASSERT_NE(variable, nullptr);
    EXPECT_EQ(Mat_VarWrite(file, variable, form.compression), 0);
    Mat_VarFree(variable);
  }
  Mat_Close(file);
}

void write(const std::string& path, const std::vector<Array>& arrays,
           Form form = {MAT_FT_MAT5, MAT_COMPRESSION_NONE}) {
  std::vector<matvar_t*> variables;
  for (const Array& array : arrays) variables.push_back(make(array));
  write_variables(path, variables, form);
}

const Array kTime = {"t", kSamples, 1, times()};
const Array kPosition = {"q", kSamples, 2, positions()};

class MatVersion : public testing::TestWithParam<Form> {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.mat";
};

TEST_P(MatVersion, GivesBackWhatWasWritten) {
  write(path_, {kTime, kPosition}, GetParam());
  expect_true_run(position_run(path_, "q[{j}]"));
}

TEST_P(MatVersion, TakesSamplesAlongTheLongerSide) {
  write(path_, {{"t", 1, kSamples, times()}, {"q", 2, kSamples, positions_by_sample()}}, GetParam());
  expect_true_run(position_run(path_, "q[{j}]"));
}

TEST_P(MatVersion, ReachesFieldsOfStructs) {
  const char* outer_names[] = {"t", "arm"};
  const char* inner_names[] = {"q"};
  matvar_t* inner = Mat_VarCreateStruct("arm", 2, std::vector<std::size_t>{1, 1}.data(), inner_names, 1);
  Mat_VarSetStructFieldByName(inner, "q", 0, make(kPosition));
  matvar_t* outer = Mat_VarCreateStruct("log", 2, std::vector<std::size_t>{1, 1}.data(), outer_names, 2);
  Mat_VarSetStructFieldByName(outer, "t", 0, make(kTime));
  Mat_VarSetStructFieldByName(outer, "arm", 0, inner);
  write_variables(path_, {outer, make({"other", 2, 2, {1, 2, 3, 4}})}, GetParam());
  expect_true_run(position_run(path_, "log.arm.q[{j}]", "log.t"));
  expect_true_run(position_run(path_, "/log/arm/q[{j}]", "/log/t"));
  EXPECT_THAT(refusal(position_run(path_, "log.amr.q[{j}]", "log.t")),
              HasSubstr("did you mean 'log.arm.q'?"));
}

template <class Number>
matvar_t* make_counter(const char* name, matio_classes kind, matio_types type) {
  std::vector<Number> values;
  for (int i = 0; i < kSamples; ++i) values.push_back(static_cast<Number>(i % 2 == 0 ? 2 * i : i));
  values[3] = std::numeric_limits<Number>::lowest();
  std::size_t sizes[2] = {kSamples, 1};
  return Mat_VarCreate(name, kind, type, 2, sizes, values.data(), 0);
}

template <class Number>
void expect_counter(const std::string& path, const std::string& name) {
  const auto run = read_run(position_run(path, name), {{"only", JointKind::revolute}});
  for (Index i = 0; i < kSamples; ++i) {
    const double value = i == 3 ? static_cast<double>(std::numeric_limits<Number>::lowest())
                                : static_cast<double>(i % 2 == 0 ? 2 * i : i);
    EXPECT_EQ(run.samples.row(0)[i], value) << name << " " << i;
  }
}

TEST_P(MatVersion, ConvertsEveryTypeOfNumber) {
  write_variables(path_,
                  {make(kTime), make_counter<float>("single", MAT_C_SINGLE, MAT_T_SINGLE),
                   make_counter<std::int8_t>("int8", MAT_C_INT8, MAT_T_INT8),
                   make_counter<std::uint8_t>("uint8", MAT_C_UINT8, MAT_T_UINT8),
                   make_counter<std::int16_t>("int16", MAT_C_INT16, MAT_T_INT16),
                   make_counter<std::uint16_t>("uint16", MAT_C_UINT16, MAT_T_UINT16),
                   make_counter<std::int32_t>("int32", MAT_C_INT32, MAT_T_INT32),
                   make_counter<std::uint32_t>("uint32", MAT_C_UINT32, MAT_T_UINT32),
                   make_counter<std::int64_t>("int64", MAT_C_INT64, MAT_T_INT64),
                   make_counter<std::uint64_t>("uint64", MAT_C_UINT64, MAT_T_UINT64)},
                  GetParam());
  expect_counter<float>(path_, "single");
  expect_counter<std::int8_t>(path_, "int8");
  expect_counter<std::uint8_t>(path_, "uint8");
  expect_counter<std::int16_t>(path_, "int16");
  expect_counter<std::uint16_t>(path_, "uint16");
  expect_counter<std::int32_t>(path_, "int32");
  expect_counter<std::uint32_t>(path_, "uint32");
  expect_counter<std::int64_t>(path_, "int64");
  expect_counter<std::uint64_t>(path_, "uint64[1]");
}

TEST_P(MatVersion, RefusesWhatIsNoRealNumber) {
  std::size_t sizes[2] = {kSamples, 1};
  std::vector<double> part(kSamples, 1.0);
  mat_complex_split_t both{part.data(), part.data()};
  std::size_t letters[2] = {1, 5};
  char text[] = "hello";
  std::size_t one[2] = {1, 1};
  matvar_t* content[1] = {make(kTime)};
  write_variables(
      path_,
      {make(kTime), Mat_VarCreate("z", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, sizes, &both, MAT_F_COMPLEX),
       Mat_VarCreate("word", MAT_C_CHAR, MAT_T_UINT8, 2, letters, text, 0),
       Mat_VarCreate("box", MAT_C_CELL, MAT_T_CELL, 2, one, content, 0)},
      GetParam());
  EXPECT_THAT(refusal(position_run(path_, "z[{j}]")), HasSubstr("'z' holds complex numbers"));
  EXPECT_THAT(refusal(position_run(path_, "word")), HasSubstr("'word' holds text"));
  EXPECT_THAT(refusal(position_run(path_, "box")), HasSubstr("'box' holds a cell array"));
}

// Cut at many bytes: never a crash, never a run.
TEST_P(MatVersion, RefusesFilesThatAreCutOff) {
  write(path_, {kTime, kPosition}, GetParam());
  const std::string whole = bytes_of(path_);
  for (std::size_t length = 1; length < whole.size(); length += static_cast<std::size_t>(61 * kThinned)) {
    write_bytes(path_, whole.substr(0, length));
    EXPECT_NE(refusal(position_run(path_, "q[{j}]")), "") << length << " of " << whole.size();
  }
}

// Damage of numbers that are not packed cannot be seen: there is no checksum. Neither has version 7.3 any for
// its tables. Nothing worse may happen.
TEST_P(MatVersion, SurvivesDamage) {
  write(path_, {kTime, kPosition}, GetParam());
  const std::string whole = bytes_of(path_);
  const std::uint64_t seed = 20240611;
  SCOPED_TRACE(seed);
  const Outcomes outcomes = outcomes_of_damage(position_run(path_, "q[{j}]"), whole, seed, 150);
  EXPECT_GT(outcomes.refused, 0);
#ifdef STEELYARD_WITH_ZLIB
  if (GetParam().version == MAT_FT_MAT5 && GetParam().compression == MAT_COMPRESSION_ZLIB) {
    EXPECT_EQ(outcomes.other, 0);
  }
#endif
}

INSTANTIATE_TEST_SUITE_P(All, MatVersion,
                         testing::Values(Form{MAT_FT_MAT5, MAT_COMPRESSION_NONE},
                                         Form{MAT_FT_MAT5, MAT_COMPRESSION_ZLIB},
                                         Form{MAT_FT_MAT73, MAT_COMPRESSION_NONE},
                                         Form{MAT_FT_MAT73, MAT_COMPRESSION_ZLIB}));

class Mat : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.MAT";
};

TEST_F(Mat, NamesTheNearestVariable) {
  write(path_, {kTime, {"position", kSamples, 2, positions()}, {"torque", kSamples, 2, positions()}});
  EXPECT_THAT(refusal(position_run(path_, "postion[{j}]")), HasSubstr("did you mean 'position'?"));
  EXPECT_THAT(refusal(position_run(path_, "q{j}")), HasSubstr("unknown variable 'q1'"));
  EXPECT_THAT(refusal(position_run(path_, "q{j}")), HasSubstr("torque"));
}

TEST_F(Mat, RefusesColumnsThatAreNotThere) {
  write(path_, {kTime, kPosition});
  EXPECT_THAT(refusal(position_run(path_, "q[{j+1}]")), HasSubstr("there is no column 3 in 'q'"));
  EXPECT_THAT(refusal(position_run(path_, "q[{j-1}]")), HasSubstr("there is no column 0 in 'q'"));
  EXPECT_THAT(refusal(position_run(path_, "q")), HasSubstr("'q' is a matrix of 2 columns"));
  EXPECT_THAT(refusal(position_run(path_, "q[1]")), HasSubstr("'q[1]' is used twice"));
  EXPECT_THAT(refusal(position_run(path_, "q[x]")), HasSubstr("unknown variable 'q[x]'"));
}

TEST_F(Mat, RefusesShapesItCannotRead) {
  write(path_, {{"t", 2, 1, {0, 1}}, {"q", 2, 2, {1, 2, 3, 4}}, {"none", 0, 0, {}}, {"one", 1, 1, {1}}});
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("'q' is square (2x2)"));
  const std::vector<LogJoint> one = {kTwoJoints[0]};
  EXPECT_THAT(refusal(position_run(path_, "none", ""), one), HasSubstr("the log has no sample"));
  EXPECT_THAT(refusal(position_run(path_, "one", ""), one), HasSubstr("the log has one sample"));
}

TEST_F(Mat, RefusesLengthsThatDiffer) {
  write(path_, {{"t", kSamples - 1, 1, times()}, kPosition});
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("'q[1]' has 50 samples, 't' has 49"));
}

TEST_F(Mat, RefusesWhatIsNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    std::vector<double> values = positions();
    values[kSamples + 6] = bad;
    write(path_, {kTime, {"q", kSamples, 2, values}});
    EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("sample 7 of 'q[2]' holds"));
  }
}

TEST_F(Mat, RefusesTimeThatDoesNotAdvance) {
  std::vector<double> values = times();
  values[9] = values[8];
  write(path_, {{"t", kSamples, 1, values}, kPosition});
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("time does not increase: sample 10 of 't'"));
}

TEST_F(Mat, TakesARateForLogsWithoutTime) {
  write(path_, {kPosition});
  RunFile file = position_run(path_, "q[{j}]", "");
  EXPECT_THAT(refusal(file), HasSubstr("no time column"));
  file.rate = 500;
  EXPECT_EQ(read_run(file, kTwoJoints).samples.time()[25], 0.05);
}

TEST_F(Mat, RefusesForeignFiles) {
  for (const std::string& bytes : {std::string("t,q1,q2\n0,1,2\n"), std::string(4096, '\0'),
                                   std::string(4096, '\xff'), std::string("\x89HDF\r\n\x1a\n")}) {
    write_bytes(path_, bytes);
    EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("not a MATLAB file"));
  }
  write_bytes(path_, "");
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("the file is empty"));
  EXPECT_THAT(refusal(position_run(folder_ / "none.mat", "q[{j}]")), HasSubstr("the file does not exist"));
}

TEST_F(Mat, RefusesMoreThanTwoGibibytes) {
  write_bytes(path_, "MATLAB");
  std::filesystem::resize_file(path_, (std::uintmax_t{2} << 30) + 1);  // sparse: takes no room
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("at most 2 GiB"));
}

#else

TEST(Mat, IsAMissingPart) {
  const TemporaryFolder folder;
  write_bytes(folder / "run.mat", "MATLAB 5.0");
  try {
    read_run(position_run(folder / "run.mat", "q[{j}]"), kTwoJoints);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("libmatio-dev"));
    EXPECT_THAT(error.what(), HasSubstr("STEELYARD_WITH_MATIO"));
  }
}

TEST(Mat, ReadsVersions5And73) {
  GTEST_SKIP() << "built without matio";
}

#endif

}  // namespace
}  // namespace steelyard
