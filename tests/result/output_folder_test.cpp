#include "steelyard/result/output_folder.hpp"
#include "steelyard/core/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "steelyard/core/error.hpp"
#include "steelyard/result/replaceable.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// An empty folder of its own for every test.
class OutputFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "steelyard-out-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    home_ = fs::canonical(name);
  }
  void TearDown() override {
    fs::permissions(home_, fs::perms::owner_all);
    fs::remove_all(home_);
  }

  std::vector<std::string> names(const fs::path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder))
      found.push_back(entry.path().filename().string());
    return found;
  }
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const fs::path& path, const std::string& text) const { std::ofstream(home_ / path) << text; }
  // home/out as this program writes it.
  void write_out(const std::vector<std::pair<fs::path, std::string>>& files) const {
    OutputFolder out(home_ / "out");
    for (const auto& [name, text] : files) out.write(name, text);
    out.commit();
  }

  fs::path home_;
};

TEST_F(OutputFolderTest, AppearsOnlyWithCommit) {
  {
    OutputFolder out(home_ / "out");
    out.write("result.json", "{}");
    out.write("plots/a.csv", "1,2");
    EXPECT_FALSE(fs::exists(home_ / "out"));
    out.commit();
  }
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
  EXPECT_THAT(names(home_ / "out"), UnorderedElementsAre(".steelyard", "result.json", "plots"));
  EXPECT_EQ(content(home_ / "out/plots/a.csv"), "1,2");
}

TEST_F(OutputFolderTest, WithoutCommitNothingIsLeftAndTheOldFolderStays) {
  write_out({{"old.txt", "old"}});
  try {
    OutputFolder out(home_ / "out");
    out.write("result.json", "{}");
    throw std::runtime_error("the study failed half way");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
  EXPECT_EQ(content(home_ / "out/old.txt"), "old");
}

// A lock distinguishes dead from running processes: the system releases it with the process.
TEST_F(OutputFolderTest, WhatKilledProgramsLeftIsRemovedAndWhatOthersWorkOnStays) {
  const pid_t child = fork();
  if (child == 0) {
    OutputFolder out(home_ / "out");
    out.write("half.json", "{");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_THAT(names(home_), ElementsAre(HasSubstr(".out.partial-" + std::to_string(child))));
  OutputFolder living(home_ / "out");
  EXPECT_THAT(names(home_), ElementsAre(HasSubstr(".out.partial-" + std::to_string(getpid()))));
  living.write("result.json", "first");
  {
    OutputFolder second(home_ / "out");
    second.write("result.json", "second");
    second.commit();
  }
  EXPECT_EQ(content(home_ / "out/result.json"), "second");
  living.commit();
  EXPECT_EQ(content(home_ / "out/result.json"), "first");
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
}

// In a child, because nothing can be written afterwards.
TEST_F(OutputFolderTest, WhatThisProcessBeganCanBeRemovedAtOnce) {
  write_out({{"old.txt", "old"}});
  const pid_t child = fork();
  if (child == 0) {
    OutputFolder out(home_ / "out"), other(home_ / "other");
    out.write("deep/result.json", "{}");
    other.write("a", "b");
    other.commit();
    _exit(abandon_unfinished().back() == home_ / "other" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(names(home_), UnorderedElementsAre("out", "other"));
  EXPECT_EQ(content(home_ / "out/old.txt"), "old");
}

// Each program looks at the place and takes it; none meets half of another's.
TEST_F(OutputFolderTest, ManyProgramsMayWriteToOnePlace) {
  std::vector<pid_t> children;
  for (int k = 0; k < 4; ++k) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    int code = 0;
    try {
      for (int round = 0; round < 40; ++round) {
        OutputFolder out(home_ / "deep/out");
        const std::string text(static_cast<std::size_t>(1000 + k), static_cast<char>('a' + k));
        for (const char* name : {"one", "two", "three"}) out.write(name, text);
        out.commit();
      }
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      code = 1;
    }
    _exit(code);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(names(home_), ElementsAre("deep"));
  EXPECT_THAT(names(home_ / "deep"), ElementsAre("out"));
  EXPECT_EQ(content(home_ / "deep/out/one"), content(home_ / "deep/out/two"));
  EXPECT_EQ(content(home_ / "deep/out/one"), content(home_ / "deep/out/three"));
}

TEST_F(OutputFolderTest, ReplacesAnExistingFolderAsAWhole) {
  write_out({{"deep/old.txt", "old"}, {"other.txt", "x"}});
  fs::remove(home_ / "out/other.txt");
  OutputFolder out(home_ / "out/");
  out.write("result.json", "new");
  EXPECT_TRUE(fs::exists(home_ / "out/deep/old.txt"));
  out.commit();
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
  EXPECT_THAT(names(home_ / "out"), UnorderedElementsAre(".steelyard", "result.json"));
}

// The message of a refusal; the folder is then as it was.
std::string refusal(const fs::path& target, std::vector<fs::path> inputs = {}) {
  try {
    OutputFolder out(target, std::move(inputs));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_F(OutputFolderTest, AnEmptyFolderIsReplaced) {
  fs::create_directories(home_ / "out/deep/empty");
  write_out({{"result.json", "new"}});
  EXPECT_THAT(names(home_ / "out"), UnorderedElementsAre(".steelyard", "result.json"));
}

TEST_F(OutputFolderTest, AFolderWithAFileOfTheUsersIsRefusedWithItsName) {
  fs::create_directory(home_ / "out");
  put("out/monday.csv", "t,q1\n");
  EXPECT_THAT(refusal(home_ / "out"), AllOf(HasSubstr("'monday.csv'"), HasSubstr((home_ / "out").string()),
                                            HasSubstr("remove the file")));
  fs::remove_all(home_ / "out");
  write_out({{"result.json", "{}"}});
  fs::create_directory(home_ / "out/mine");
  EXPECT_EQ(refusal(home_ / "out"), "");
  put("out/mine/notes.txt", "dear diary");
  EXPECT_THAT(refusal(home_ / "out"), HasSubstr("'mine/notes.txt'"));
  fs::remove(home_ / "out/mine/notes.txt");
  fs::create_symlink(home_, home_ / "out/link");
  EXPECT_THAT(refusal(home_ / "out"), HasSubstr("'link'"));
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
}

TEST_F(OutputFolderTest, AFileThatWasChangedIsTheUsers) {
  write_out({{"run.json", "{}"}, {"log.csv", "1,2"}});
  put("out/run.json", "{\"other\": 1}");
  EXPECT_EQ(refusal(home_ / "out"), "");
  put("out/log.csv", "1,3");
  EXPECT_THAT(refusal(home_ / "out"), AllOf(HasSubstr("'log.csv'"), HasSubstr("changed")));
  EXPECT_EQ(content(home_ / "out/log.csv"), "1,3");
}

TEST_F(OutputFolderTest, WhatIsPutThereMeanwhileStays) {
  write_out({{"result.json", "old"}});
  OutputFolder out(home_ / "out");
  out.write("result.json", "new");
  put("out/monday.csv", "t,q1\n");
  EXPECT_THROW(out.commit(), InputError);
  EXPECT_EQ(content(home_ / "out/result.json"), "old");
  EXPECT_EQ(content(home_ / "out/monday.csv"), "t,q1\n");
}

TEST_F(OutputFolderTest, AFolderThatHoldsAnInputIsRefusedWhoeverWroteIt) {
  write_out({{"result.json", "{}"}});
  fs::create_directory_symlink(home_ / "out", home_ / "link");
  EXPECT_THAT(refusal(home_ / "out", {home_ / "out/result.json"}), HasSubstr("which is an input here"));
  EXPECT_THAT(refusal(home_ / "link", {home_ / "out/result.json"}), HasSubstr("which is an input here"));
  EXPECT_THAT(refusal(home_ / "out", {home_ / "link/result.json"}), HasSubstr("which is an input here"));
  EXPECT_EQ(refusal(home_ / "out", {home_ / "out2/result.json", home_ / "out/no-such-file"}), "");
}

// Folders from before there were lists.
TEST_F(OutputFolderTest, AResultOfAnEarlierVersionIsReplaced) {
  fs::create_directory(home_ / "out");
  put("out/result.json", "{\n  \"format_version\": 1,\n");
  put("out/run.json", "{\n  \"version\": \"0.1.0\",\n  \"peak_memory_bytes\": 1\n}\n");
  put("out/report.html", "<!DOCTYPE html>\n<title>arm — good — Steelyard report</title>\n");
  EXPECT_EQ(refusal(home_ / "out"), "");
  put("out/report.html", "<!DOCTYPE html>\n<title>My report</title>\n");
  EXPECT_THAT(refusal(home_ / "out"), HasSubstr("'report.html'"));
}

TEST_F(OutputFolderTest, AFileTakesThePlaceOfItsOwnKindOnly) {
  const auto refused = [&](FileKind kind) {
    try {
      check_replaceable_file(home_ / "file", kind);
    } catch (const InputError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused(FileKind::fold));
  EXPECT_FALSE(refused(FileKind::page));
  put("file", "STEELYARD FOLD\n");
  EXPECT_FALSE(refused(FileKind::fold));
  EXPECT_TRUE(refused(FileKind::page));
  put("file", "<!DOCTYPE html>\n<title>arm — good — Steelyard report</title>\n");
  EXPECT_TRUE(refused(FileKind::fold));
  EXPECT_FALSE(refused(FileKind::page));
  put("file", "");
  EXPECT_TRUE(refused(FileKind::fold));
}

TEST_F(OutputFolderTest, FollowsALinkToTheFolderItMeans) {
  fs::create_directory(home_ / "real");
  fs::create_directory_symlink(home_ / "real", home_ / "link");
  OutputFolder out(home_ / "link");
  out.write("a", "1");
  out.commit();
  EXPECT_TRUE(fs::is_symlink(home_ / "link"));
  EXPECT_EQ(content(home_ / "real/a"), "1");
}

TEST_F(OutputFolderTest, MakesFoldersOnTheWay) {
  { OutputFolder dropped(home_ / "a/b/out"); }
  EXPECT_TRUE(names(home_).empty());
  OutputFolder out(home_ / "a/b/out");
  out.write("x", "1");
  out.commit();
  EXPECT_EQ(content(home_ / "a/b/out/x"), "1");
}

TEST_F(OutputFolderTest, RespectsTheUsersMask) {
  const mode_t old = umask(027);
  OutputFolder out(home_ / "out");
  out.write("x", "1");
  out.commit();
  umask(old);
  EXPECT_EQ(fs::status(home_ / "out").permissions(), fs::perms(0750));
  EXPECT_EQ(fs::status(home_ / "out/x").permissions(), fs::perms(0640));
}

TEST_F(OutputFolderTest, RefusesAFileInPlaceOfTheFolder) {
  put("out", "precious");
  EXPECT_THROW(OutputFolder(home_ / "out"), InputError);
  EXPECT_EQ(content(home_ / "out"), "precious");
  EXPECT_THAT(names(home_), UnorderedElementsAre("out"));
}

TEST_F(OutputFolderTest, RefusesToReplaceTheWorkingFolderOrOneAboveIt) {
  for (const fs::path& path :
       {fs::path("."), fs::path(".."), fs::path("/"), fs::current_path(), fs::path("")})
    EXPECT_THROW(OutputFolder{path}, InputError) << path;
}

TEST_F(OutputFolderTest, RefusesNamesOutsideOfTheFolder) {
  OutputFolder out(home_ / "out");
  for (const char* name : {"../evil", "a/../../evil", "/tmp/evil", "", ".", "folder/"})
    EXPECT_THROW(out.write(name, "x"), InputError) << name;
}

TEST_F(OutputFolderTest, CannotBeUsedAfterCommit) {
  OutputFolder out(home_ / "out");
  out.commit();
  EXPECT_THROW(out.commit(), InternalError);
  EXPECT_THROW(out.write("x", ""), InternalError);
}

TEST_F(OutputFolderTest, AFolderThatCannotBeWrittenIsAMachineError) {
  EXPECT_THROW(OutputFolder("/proc/steelyard/out"), MachineError);  // for root too
  if (geteuid() == 0) return;
  fs::permissions(home_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(OutputFolder(home_ / "out"), MachineError);
  EXPECT_THROW(write_atomically(home_ / "file", "x"), MachineError);
}

// A limit on the size of files stands for a full disk.
TEST_F(OutputFolderTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  put("file", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string text;
  try {
    write_atomically(home_ / "file", std::string(1 << 16, 'x'));
  } catch (const MachineError& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(text, HasSubstr("cannot be written"));
  EXPECT_EQ(content(home_ / "file"), "old");
  EXPECT_THAT(names(home_), UnorderedElementsAre("file"));
}

TEST_F(OutputFolderTest, AFileIsReplacedWhole) {
  put("file", "a longer old text");
  write_atomically(home_ / "file", "new");
  EXPECT_EQ(content(home_ / "file"), "new");
  EXPECT_THAT(names(home_), UnorderedElementsAre("file"));
}

}  // namespace
}  // namespace steelyard
