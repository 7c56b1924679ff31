#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

#include "array_test.hpp"
#ifdef STEELYARD_WITH_HDF5
#include <hdf5.h>
#endif

namespace steelyard {
namespace {

using testing::HasSubstr;

#ifdef STEELYARD_WITH_HDF5

// A file that is being written; groups are made as names need them.
class Writer {
 public:
  explicit Writer(const std::string& path, bool newest_format = false) : links_(H5Pcreate(H5P_LINK_CREATE)) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (newest_format) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    EXPECT_GE(file_, 0);
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~Writer() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const std::string& name, const std::vector<hsize_t>& sizes, const std::vector<double>& values,
           hid_t stored = H5T_NATIVE_DOUBLE, int deflate = 0) const {
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (deflate > 0) {
      H5Pset_chunk(layout, static_cast<int>(sizes.size()), sizes.data());
      H5Pset_shuffle(layout);
      H5Pset_deflate(layout, static_cast<unsigned>(deflate));
      H5Pset_fletcher32(layout);
    }
    const hid_t dataset = create(name, sizes, stored, layout);
    if (!values.empty()) {
      EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    H5Dclose(dataset);
    H5Pclose(layout);
  }

  hid_t create(const std::string& name, const std::vector<hsize_t>& sizes, hid_t type,
               hid_t layout = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file_, name.c_str(), type, space, links_, layout, H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << name;
    H5Sclose(space);
    return dataset;
  }

  void link(const std::string& target, const std::string& name) const {
    H5Lcreate_soft(target.c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  }

 private:
  hid_t file_ = -1;
  hid_t links_;
};

class Hdf5 : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.h5";
};

TEST_F(Hdf5, GivesBackWhatWasWritten) {
  for (const char* name : {"run.h5", "run.hdf5", "run.HDF5"}) {
    const std::string path = folder_ / name;
    {
      const Writer writer(path);
      writer.add("t", {kSamples}, times());
      writer.add("q", {kSamples, 2}, positions_by_sample());
    }
    expect_true_run(position_run(path, "q[{j}]"));
  }
}

TEST_F(Hdf5, TakesSamplesAlongTheLongerSide) {
  {
    const Writer writer(path_);
    writer.add("t", {1, kSamples, 1}, times());
    writer.add("q", {2, kSamples}, positions(), H5T_IEEE_F64BE, 6);
  }
  expect_true_run(position_run(path_, "q[{j}]"));
}

TEST_F(Hdf5, ReachesMembersOfGroups) {
  const std::vector<double> all = positions();
  {
    const Writer writer(path_);
    writer.add("log/t", {kSamples}, times());
    writer.add("log/arm/q", {kSamples, 2}, positions_by_sample());
    writer.add("q.1", {kSamples}, {all.begin(), all.begin() + kSamples});
    writer.add("q.2", {kSamples}, {all.begin() + kSamples, all.end()});
    writer.link("/log/t", "clock");
    writer.link("/nowhere", "broken");
  }
  expect_true_run(position_run(path_, "/log/arm/q[{j}]", "/log/t"));
  expect_true_run(position_run(path_, "log.arm.q[{j}]", "log.t"));
  expect_true_run(position_run(path_, "q.{j}", "clock"));
  EXPECT_THAT(refusal(position_run(path_, "log/arm/p[{j}]", "log/t")),
              HasSubstr("did you mean 'log/arm/q'?"));
}

TEST_F(Hdf5, RefusesNamesThatMeanTwoArrays) {
  {
    const Writer writer(path_);
    writer.add("t", {kSamples}, times());
    writer.add("a/b/q", {kSamples}, times());
    writer.add("a.b/q", {kSamples}, times());
  }
  EXPECT_THAT(refusal(position_run(path_, "a.b.q")), HasSubstr("'a.b.q' may be 'a/b/q' or 'a.b/q'"));
}

TEST_F(Hdf5, ConvertsEveryTypeOfNumber) {
  const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16LE,  H5T_STD_I32LE,
                         H5T_STD_U32BE, H5T_STD_I64BE, H5T_STD_U64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
  std::vector<double> values;
  for (int i = 0; i < kSamples; ++i) values.push_back(i % 2 == 0 ? 2 * i : i);
  for (const hid_t type : types) {
    {
      const Writer writer(path_);
      writer.add("t", {kSamples}, times());
      writer.add("q", {kSamples}, values, type);
    }
    const auto run = read_run(position_run(path_, "q[{j}]"), {kTwoJoints[0]});
    for (Index i = 0; i < kSamples; ++i)
      EXPECT_EQ(run.samples.row(0)[i], values[static_cast<std::size_t>(i)]);
  }
}

TEST_F(Hdf5, RefusesWhatIsNoRealNumber) {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 8);
  const hid_t complex = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(complex, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(complex, "i", 8, H5T_NATIVE_DOUBLE);
  {
    const Writer writer(path_);
    writer.add("t", {kSamples}, times());
    H5Dclose(writer.create("word", {kSamples}, text));
    H5Dclose(writer.create("z", {kSamples}, complex));
    H5Dclose(writer.create("cells", {kSamples}, H5T_STD_REF_OBJ));
  }
  H5Tclose(text);
  H5Tclose(complex);
  EXPECT_THAT(refusal(position_run(path_, "word")), HasSubstr("'word' holds text"));
  EXPECT_THAT(refusal(position_run(path_, "z")), HasSubstr("'z' holds compound values"));
  EXPECT_THAT(refusal(position_run(path_, "cells")), HasSubstr("'cells' holds references"));
}

TEST_F(Hdf5, RefusesShapesItCannotRead) {
  {
    const Writer writer(path_);
    writer.add("t", {kSamples}, times());
    writer.add("square", {2, 2}, {1, 2, 3, 4});
    writer.add("cube", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    writer.add("short", {kSamples - 1, 2}, positions_by_sample());
    writer.add("empty", {0}, {});
    writer.add("flat", {0, 3}, {});
    writer.add("one", {1, 1}, {1});
  }
  const std::vector<LogJoint> one = {kTwoJoints[0]};
  EXPECT_THAT(refusal(position_run(path_, "square[{j}]")), HasSubstr("'square' is square (2x2)"));
  EXPECT_THAT(refusal(position_run(path_, "cube[{j}]")), HasSubstr("'cube' is an array of 2x2x2"));
  EXPECT_THAT(refusal(position_run(path_, "short[{j}]")), HasSubstr("'short[1]' has 49 samples, 't' has 50"));
  EXPECT_THAT(refusal(position_run(path_, "empty", ""), one), HasSubstr("the log has no sample"));
  EXPECT_THAT(refusal(position_run(path_, "flat[{j}]", ""), one), HasSubstr("the log has no sample"));
  EXPECT_THAT(refusal(position_run(path_, "one", ""), one), HasSubstr("the log has one sample"));
  EXPECT_THAT(refusal(position_run(path_, "short[3]")), HasSubstr("there is no column 3 in 'short'"));
}

TEST_F(Hdf5, RefusesNumbersThatAreNotFiniteAndTimeThatStands) {
  std::vector<double> bad = positions_by_sample();
  bad[13] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> stuck = times();
  stuck[20] = 0;
  {
    const Writer writer(path_);
    writer.add("t", {kSamples}, times());
    writer.add("stuck", {kSamples}, stuck);
    writer.add("q", {kSamples, 2}, positions_by_sample());
    writer.add("bad", {kSamples, 2}, bad);
  }
  EXPECT_THAT(refusal(position_run(path_, "bad[{j}]")), HasSubstr("sample 7 of 'bad[2]' holds 'nan'"));
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]", "stuck")),
              HasSubstr("time does not increase: sample 21 of 'stuck'"));
}

// A chunked array may announce far more than the file holds.
TEST_F(Hdf5, RefusesArraysOfMoreThanTwoGibibytes) {
  {
    const Writer writer(path_);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1024;
    H5Pset_chunk(layout, 1, &chunk);
    H5Dclose(writer.create("large", {hsize_t{1} << 29}, H5T_NATIVE_DOUBLE, layout));
    H5Dclose(writer.create("huge", {hsize_t{1} << 60}, H5T_NATIVE_DOUBLE, layout));
    H5Pclose(layout);
  }
  const std::vector<LogJoint> one = {kTwoJoints[0]};
  EXPECT_THAT(refusal(position_run(path_, "large", ""), one), HasSubstr("at most 2 GiB"));
  EXPECT_THAT(refusal(position_run(path_, "huge", ""), one), HasSubstr("at most 2 GiB"));
}

TEST_F(Hdf5, RefusesForeignFilesAndThoseCutOff) {
  for (const std::string& bytes : {std::string("t,q1,q2\n0,1,2\n"), std::string(4096, '\0'),
                                   std::string("\x89HDF\r\n\x1a\n") + std::string(600, '\x01')}) {
    write_bytes(path_, bytes);
    EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("not an HDF5 file"));
  }
  {
    const Writer writer(path_);
    writer.add("t", {kSamples}, times());
    writer.add("q", {kSamples, 2}, positions_by_sample());
  }
  const std::string whole = bytes_of(path_);
  for (std::size_t length = 1; length < whole.size(); length += static_cast<std::size_t>(61 * kThinned)) {
    write_bytes(path_, whole.substr(0, length));
    EXPECT_NE(refusal(position_run(path_, "q[{j}]")), "") << length << " of " << whole.size();
  }
}

// Plain, packed, and packed with checksums over the file's own tables too, where every damage is seen.
struct Packing {
  int deflate;
  bool newest_format;
};

class Hdf5Packing : public testing::TestWithParam<Packing> {};

TEST_P(Hdf5Packing, SurvivesDamage) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.h5";
  {
    const Writer writer(path, GetParam().newest_format);
    writer.add("t", {kSamples}, times(), H5T_NATIVE_DOUBLE, GetParam().deflate);
    writer.add("q", {kSamples, 2}, positions_by_sample(), H5T_NATIVE_DOUBLE, GetParam().deflate);
  }
  const std::string whole = bytes_of(path);
  const std::uint64_t seed = 20240612;
  SCOPED_TRACE(seed);
  const Outcomes outcomes = outcomes_of_damage(position_run(path, "q[{j}]"), whole, seed, 200);
  EXPECT_GT(outcomes.refused, 0);
  if (GetParam().newest_format) {
    EXPECT_EQ(outcomes.other, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Hdf5Packing,
                         testing::Values(Packing{0, false}, Packing{6, false}, Packing{6, true}));

#else

TEST(Hdf5, IsAMissingPart) {
  const TemporaryFolder folder;
  write_bytes(folder / "run.h5", "\x89HDF");
  try {
    read_run(position_run(folder / "run.h5", "q[{j}]"), kTwoJoints);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("libhdf5-dev"));
    EXPECT_THAT(error.what(), HasSubstr("STEELYARD_WITH_HDF5"));
  }
}

TEST(Hdf5, ReadsFiles) {
  GTEST_SKIP() << "built without HDF5";
}

#endif

}  // namespace
}  // namespace steelyard
