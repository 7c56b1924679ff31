// Logs and folds: from files.
#include <string>
#include <vector>

#include "feed.hpp"
#include "log/readers/mat_header.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/source.hpp"

namespace fuzz {
namespace {

using namespace steelyard;

RunFile run_of(const std::string& path, const std::string& time, const std::vector<std::string>& columns) {
  RunFile file;
  file.path = path;
  file.time = time;
  file.rate = 100;
  file.csv.buffer = 256;  // small, so that inputs cross its borders
  const std::vector<std::string> channels = {"position", "torque"};
  for (std::size_t c = 0; c < columns.size(); ++c) {
    ChannelColumns channel;
    channel.channel = channels[c];
    channel.columns = {columns[c]};
    file.channels.push_back(std::move(channel));
  }
  return file;
}

const std::vector<LogJoint> kJoints = {{"j1", JointKind::revolute}, {"j2", JointKind::revolute}};

void read_as(const RunFile& file) {
  if (!accepts([&] { log_columns(file); })) return;
  accepts([&] {
    const auto source = open_run(file, kJoints);
    const SampleBlock samples = read_all(*source);
    promise(samples.size() >= 2, "a run has at least two samples");
    for (Index s = 1; s < samples.size(); ++s)
      promise(samples.time()[s] > samples.time()[s - 1], "time increases");
  });
}

}  // namespace

void feed_csv(std::string_view bytes) {
  const std::string path = as_file(bytes, ".csv");
  read_as(run_of(path, "t", {"q{j}", "tau{j}"}));
  read_as(run_of(path, "", {"{j}"}));
}

void feed_db3(std::string_view bytes) {
  RunFile file = run_of(as_file(bytes, ".db3"), "", {});
  use_joint_states(file);
  read_as(file);
}

void feed_mcap(std::string_view bytes) {
  RunFile file = run_of(as_file(bytes, ".mcap"), "received", {"data[{j}]"});
  read_as(file);
  use_joint_states(file);
  read_as(file);
}

void feed_npy(std::string_view bytes) {
  read_as(run_of(as_file(bytes, ".npy"), "", {"input[{j}]"}));
}
void feed_npz(std::string_view bytes) {
  read_as(run_of(as_file(bytes, ".npz"), "t", {"q[{j}]", "tau[{j}]"}));
}

// The part of ours; what matio and HDF5 do runs in a child process.
void feed_mat(std::string_view bytes) {
  const std::string path = as_file(bytes, ".mat");
  accepts([&] { check_mat_layout(path); });
}

// With the checksum put right, otherwise nothing behind it is ever reached.
void feed_fold(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  const auto digest = hash.finish();
  const std::string path = as_file(std::string(bytes) + std::string(digest.begin(), digest.end()), ".fold");
  std::vector<FoldedRun> runs;
  if (!accepts([&] { runs = read_fold_file(path); }) || runs.empty()) return;
  write_fold_file(runs, path);
  promise(
      accepts([&] { promise(read_fold_file(path).front().label == runs.front().label, "the same label"); }),
      "what is written can be read");
}

}  // namespace fuzz
