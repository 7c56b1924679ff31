// Fold files come back as they were, and damaged ones are refused by name.
#include "steelyard/fold/fold_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/fold/pass.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

Layout layout_of(const std::string& row, int columns) {
  Layout layout;
  layout.row = row;
  layout.unit = "N*m";
  for (int k = 0; k < columns; ++k) layout.columns.push_back("p" + std::to_string(k));
  layout.efforts = {"torque"};
  layout.effort_units = {"N*m"};
  layout.robot = "robot";
  layout.preparation = "preparation";
  return layout;
}

// Two rows, three blocks, the last with fewer rows than columns; gaps in the first two.
FoldedRun sample_run() {
  FoldedRun file;
  file.label = "run \"1\"";
  file.samples = 1234;
  file.step = 1e-3;
  file.slot_samples = 64;
  file.slots = 3;
  Random random(5, "fold file");
  const auto folds = [&](Index block, Index rows) {
    std::vector<Fold> result;
    for (int columns : {3, 5}) {
      MatrixXd matrix(rows, columns + 1);
      for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = random.normal();
      Fold fold(layout_of("torque:joint" + std::to_string(columns), columns), block);
      fold.add(matrix);
      result.push_back(std::move(fold));
    }
    return result;
  };
  for (Index b = 0; b < 3; ++b)
    file.blocks.push_back({b, 1, folds(b, b == 2 ? 2 : 40), b == 2 ? std::vector<Fold>{} : folds(b, 7)});
  return file;
}

class FoldFiles : public testing::Test {
 protected:
  void SetUp() override {
    path_ =
        (std::filesystem::temp_directory_path() / ("steelyard_fold_file_test_" + std::to_string(getpid())))
            .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  std::string complaint_about(const std::string& content) const {
    std::ofstream(path_, std::ios::binary) << content;
    try {
      read_fold_file(path_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string path_;
};

TEST_F(FoldFiles, ComeBackBitByBit) {
  const FoldedRun written = sample_run();
  write_fold_file(std::span(&written, 1), path_);
  const std::vector<FoldedRun> all = read_fold_file(path_);
  ASSERT_EQ(all.size(), 1u);
  const FoldedRun& read = all.front();
  EXPECT_EQ(read.label, written.label);
  EXPECT_EQ(read.samples, written.samples);
  EXPECT_EQ(read.step, written.step);
  EXPECT_EQ(read.slots, written.slots);
  ASSERT_EQ(read.blocks.size(), 3u);
  for (std::size_t b = 0; b < 3; ++b) {
    const FoldBlock &x = written.blocks[b], &y = read.blocks[b];
    EXPECT_EQ(y.first_slot, x.first_slot);
    ASSERT_EQ(y.core.size(), 2u);
    ASSERT_EQ(y.gap.size(), x.gap.size());
    for (std::size_t r = 0; r < 2; ++r) {
      EXPECT_EQ(y.core[r].R(), x.core[r].R());
      EXPECT_EQ(y.core[r].rows(), x.core[r].rows());
      EXPECT_EQ(y.core[r].layout(), x.core[r].layout());
      if (!x.gap.empty()) {
        EXPECT_EQ(y.gap[r].R(), x.gap[r].R());
      }
    }
  }
  const std::string first = bytes();
  write_fold_file(std::span(&read, 1), path_);
  EXPECT_EQ(bytes(), first);
}

TEST_F(FoldFiles, EveryDamagedByteIsFound) {
  write_fold_file(std::vector{sample_run()}, path_);
  const std::string good = bytes();
  for (std::size_t at = 0; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    EXPECT_THAT(complaint_about(bad), testing::AnyOf(HasSubstr("checksum"), HasSubstr("is not a fold file")))
        << at;
  }
}

TEST_F(FoldFiles, KnowTheLogTheyAreOf) {
  FoldedRun run = sample_run();
  run.log = "0123abcd";
  write_fold_file(std::span(&run, 1), path_);
  EXPECT_EQ(read_fold_file(path_)[0].log, run.log);
}

TEST_F(FoldFiles, OfAnotherVersionAreRefusedByIt) {
  write_fold_file(std::vector{sample_run()}, path_);
  std::string other = bytes().substr(0, bytes().size() - 32);
  other[15] = static_cast<char>(kFoldFileVersion + 1);
  Sha256 hash;
  hash.add(other);
  const auto digest = hash.finish();
  other.append(digest.begin(), digest.end());
  EXPECT_THAT(complaint_about(other), HasSubstr("version 6"));
}

TEST_F(FoldFiles, KeepWhatTheExaminationFoundAndTellWhereThereWasNone) {
  FoldedRun run = sample_run();
  write_fold_file(std::span(&run, 1), path_);
  EXPECT_FALSE(read_fold_file(path_)[0].findings);
  run.findings.emplace();  // examined, nothing found
  write_fold_file(std::span(&run, 1), path_);
  ASSERT_TRUE(read_fold_file(path_)[0].findings);
  EXPECT_TRUE(read_fold_file(path_)[0].findings->empty());
  run.findings = {make_finding("gaps", run.label, "one gap"), make_finding("saturation", "joint3", "\"9\"")};
  (*run.findings)[0].severity = Severity::note;
  write_fold_file(std::span(&run, 1), path_);
  FoldedRun read = read_fold_file(path_)[0];
  relabel(read, "another name");
  ASSERT_EQ(read.findings->size(), 2U);
  EXPECT_EQ((*read.findings)[0].joint, "another name");
  EXPECT_EQ((*read.findings)[0].severity, Severity::note);
  EXPECT_EQ((*read.findings)[1].joint, "joint3");
  EXPECT_EQ((*read.findings)[1].evidence, "\"9\"");
  EXPECT_EQ((*read.findings)[1].remedy, make_finding("saturation", "", "").remedy);
}

// Files of earlier programs: the same but for the findings.
TEST_F(FoldFiles, OfTheVersionBeforeAreReadAsNotExamined) {
  write_fold_file(std::vector{sample_run()}, path_);
  std::string old = bytes().substr(0, bytes().size() - 32);
  old[15] = 2;
  Sha256 hash;
  hash.add(old);
  const auto digest = hash.finish();
  std::ofstream(path_, std::ios::binary) << old.append(digest.begin(), digest.end());
  const FoldedRun read = read_fold_file(path_)[0];
  EXPECT_FALSE(read.findings);
  EXPECT_EQ(read.samples, 1234);
}

// Version 3: examined, without a motion. A file of that time, as it was written.
TEST_F(FoldFiles, OfTheVersionWithoutMotionsAreRead) {
  std::ifstream stream(STEELYARD_SOURCE_DIR "/tests/fuzz/corpus/fold/two_r_examined", std::ios::binary);
  std::string old(std::istreambuf_iterator<char>(stream), {});
  ASSERT_EQ(old.at(15), 3);
  Sha256 hash;  // the corpus has files without their last 32 bytes
  hash.add(old);
  const auto digest = hash.finish();
  std::ofstream(path_, std::ios::binary) << old.append(digest.begin(), digest.end());
  const FoldedRun read = read_fold_file(path_).at(0);
  EXPECT_TRUE(read.findings);
  EXPECT_FALSE(read.motion);
}

TEST_F(FoldFiles, KeepTheMotion) {
  FoldedRun run = sample_run();
  run.motion = FoldedMotion{0.25, MatrixXd::Random(7, 2)};
  write_fold_file(std::vector{run, sample_run()}, path_);
  const std::vector<FoldedRun> read = read_fold_file(path_);
  ASSERT_TRUE(read[0].motion);
  EXPECT_EQ(read[0].motion->step, 0.25);
  EXPECT_EQ(read[0].motion->position, run.motion->position);
  EXPECT_EQ(read[0].blocks[2].core[1].R(), run.blocks[2].core[1].R());
  EXPECT_FALSE(read[1].motion);
}

TEST_F(FoldFiles, RunsAreRelabelledWithTheirOwnColumns) {
  FoldedRun run = sample_run();
  run.label = "run";
  const auto own = [](std::vector<FoldBlock>& blocks) {
    for (FoldBlock& block : blocks)
      for (std::vector<Fold>* folds : {&block.core, &block.gap})
        for (Fold& fold : *folds) {
          Layout layout = fold.layout();
          layout.columns[0] = "fo1@run";
          layout.columns[1] = "fo1@other run";
          fold =
              fold_of_triangle(std::make_shared<const Layout>(layout), fold.R(), fold.rows(), fold.block());
        }
  };
  own(run.blocks);
  run.instruments = {3.2, true, run.blocks};
  const MatrixXd before = run.blocks[1].gap[1].R();
  relabel(run, "monday");
  for (const std::vector<FoldBlock>* blocks : {&run.blocks, &run.instruments.blocks})
    for (const FoldBlock& block : *blocks)
      for (const std::vector<Fold>* folds : {&block.core, &block.gap})
        for (const Fold& fold : *folds) {
          EXPECT_EQ(fold.layout().columns[0], "fo1@monday");
          EXPECT_EQ(fold.layout().columns[1], "fo1@other run");
        }
  EXPECT_EQ(run.blocks[1].gap[1].R(), before);
  EXPECT_EQ(run.blocks[1].gap[1].block(), 1);
}

// Nonsense with a right checksum: made by another program, or by a mistake of ours.
TEST_F(FoldFiles, WhoseHeaderContradictsTheirContentAreRefused) {
  FoldedRun sample = sample_run();
  sample.motion = FoldedMotion{0.25, MatrixXd::Zero(3, 2)};
  write_fold_file(std::vector{sample}, path_);
  const std::string good = bytes();
  std::uint64_t length = 0;
  std::memcpy(&length, good.data() + 19, sizeof length);  // behind the mark and the version
  const std::string header = good.substr(27, length),
                    rest = good.substr(27 + length, good.size() - 59 - length);
  const auto said = [&](std::string text, const std::string& triangles) {
    length = text.size();
    std::string file = good.substr(0, 19);
    file.append(reinterpret_cast<const char*>(&length), sizeof length);
    file += text + triangles;
    Sha256 hash;
    hash.add(file);
    const auto digest = hash.finish();
    return complaint_about(file.append(digest.begin(), digest.end()));
  };
  const auto instead = [&](const std::string& old, const std::string& by) {
    std::string text = header;
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return text.replace(at, old.size(), by);
  };
  EXPECT_EQ(said(header, rest), "accepted");
  EXPECT_THAT(said(header, rest.substr(0, rest.size() - 8)), HasSubstr("is shorter than its header says"));
  EXPECT_THAT(said(header, rest + "12345678"), HasSubstr("is longer than its header says"));
  EXPECT_THAT(said(instead("\"core\":[[40,4],", "\"core\":["), rest),
              HasSubstr("different numbers of folds"));
  EXPECT_THAT(said(instead("[40,4]", "[40,5]"), rest), HasSubstr("triangle of impossible size"));
  EXPECT_THAT(said(instead("\"core\":[[40,4],[40,6]]", "\"core\":[]"), rest),
              HasSubstr("block without folds"));
  EXPECT_THAT(said(instead("\"label\":\"run", "\"lable\":\"run"), rest), HasSubstr("has an invalid header"));
  // Numbers that no run has: whole ones that are none, and such as would divide by zero or never end.
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"\"samples\":1234", {"-1", "0", "128", "1e300", "12.5", "\"many\"", "18446744073709551615"}},
           {"\"step\":0.001", {"-1", "1e300", "null"}},
           {"\"order\":4", {"-1", "1e300"}},
           {"\"cutoff\":0.0", {"-1", "1e300"}},
           {"\"decimation\":1", {"0", "-1", "1e300", "1235"}},
           {"\"kept_share\":0.0", {"-1", "2", "1e300"}},
           {"\"slot_samples\":64", {"0", "-1", "1e300", "1000"}},
           {"\"gap_samples\":0", {"-1", "65", "1e300"}},
           {"\"slots\":3", {"0", "-1", "4", "2", "1000000000000"}},
           {"\"slots_per_block\":1", {"0", "-1", "1000000000000"}},
           {"\"first_slot\":1", {"0", "2", "-1"}},
           {"\"slots\":1", {"0", "2", "-1", "1e300"}}})
    for (const std::string& number : value) {
      const std::string name = key.substr(0, key.find(':') + 1);
      EXPECT_THAT(said(instead(key, name + number), rest), HasSubstr("fold file has ")) << key << number;
    }
  EXPECT_THAT(said(instead("\"p1\"", "\"p0\""), rest), HasSubstr("is invalid"));
  for (const char* size : {"\"samples\":3000000000,\"joints\":3000000000", "\"samples\":0,\"joints\":2",
                           "\"samples\":3,\"joints\":-2"})
    EXPECT_THAT(said(instead("\"samples\":3,\"joints\":2", size), rest),
                testing::ContainsRegex("has (samples|joints) (-2|0|3000000000)"));
  const double nothing = std::nan("");
  std::string broken = rest;
  std::memcpy(broken.data(), &nothing, sizeof nothing);
  EXPECT_THAT(said(header, broken), HasSubstr("motion that is not finite"));
}

TEST_F(FoldFiles, HoldSeveralRunsWithTheirInstruments) {
  FoldedRun first = sample_run(), second = sample_run();
  second.label = "second";
  second.period = 400.5;
  second.instruments = {3.2, true, sample_run().blocks};
  write_fold_file(std::vector{first, second}, path_);
  const std::vector<FoldedRun> read = read_fold_file(path_);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_FALSE(read[0].period);
  EXPECT_EQ(read[1].period, 400.5);
  EXPECT_TRUE(read[0].instruments.blocks.empty());
  ASSERT_EQ(read[1].instruments.blocks.size(), 3u);
  EXPECT_EQ(read[1].instruments.blocks[2].core[1].R(), second.instruments.blocks[2].core[1].R());
  EXPECT_EQ(first_difference(read[0], read[1]), std::nullopt);
}

TEST_F(FoldFiles, JoinedBlocksHoldTheSameRows) {
  FoldedRun run = sample_run();
  const std::vector<Fold> before = to_fold_pass(run).folds.total();
  join_blocks(run, 2);
  ASSERT_EQ(run.blocks.size(), 2u);
  EXPECT_EQ(run.blocks[0].slots, 2);
  const std::vector<Fold> after = to_fold_pass(run).folds.total();
  for (std::size_t r = 0; r < before.size(); ++r) {
    EXPECT_EQ(before[r].rows(), after[r].rows());
    EXPECT_LT((before[r].R() - after[r].R()).norm(), 1e-12 * before[r].R().norm());
  }
  EXPECT_THROW(join_blocks(run, 0), InputError);
}

TEST_F(FoldFiles, TruncatedForeignAndMissingFilesAreRefused) {
  write_fold_file(std::vector{sample_run()}, path_);
  const std::string good = bytes();
  for (std::size_t size : {std::size_t{0}, std::size_t{10}, good.size() / 2, good.size() - 1})
    EXPECT_THAT(complaint_about(good.substr(0, size)),
                testing::AnyOf(HasSubstr("checksum"), HasSubstr("is not a fold file")));
  EXPECT_THAT(complaint_about("t,q1,q2\n0,1,2\n" + std::string(100, ' ')), HasSubstr("is not a fold file"));
  EXPECT_THAT(complaint_about(good + "x"), HasSubstr("checksum"));
  EXPECT_THROW(read_fold_file(path_ + ".nothing"), InputError);
  EXPECT_THROW(read_fold_file("/"), InputError);
}

}  // namespace
}  // namespace steelyard
