// steelyard-mpi: the same program as several processes, one of which prints and writes. All of MPI is here.
//
//   mpirun -n 4 steelyard-mpi run study.yaml --out result
//
// Every process runs the study and takes its share of chunks, replicates and starts; at meetings
// (core/processes.hpp) results go to all. A meeting begins with the state of all, so that a process
// that has failed is noticed at any meeting. Processes other than the first write to a folder of
// their own that is thrown away, and print nothing.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "program_main.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/processes.hpp"

namespace {

using steelyard::Index;

class MpiGroup : public steelyard::ProcessGroup {
 public:
  MpiGroup() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> exchange(const std::string& bytes) override {
    const std::vector<int> lengths = meet(bytes.size());
    return gather_all(bytes, lengths);
  }

  std::vector<std::string> collect(const std::string& bytes, int owner) override {
    const std::vector<int> lengths = meet(bytes.size());
    const std::vector<int> begins = begins_of(lengths);
    std::string all(rank_ == owner ? static_cast<std::size_t>(begins.back()) : 0, '\0');
    MPI_Gatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, all.data(), lengths.data(),
                begins.data(), MPI_BYTE, owner, MPI_COMM_WORLD);
    return rank_ == owner ? cut(all, lengths, begins) : std::vector<std::string>();
  }

  std::string spread(const std::string& bytes, int owner) override {
    const std::vector<int> lengths = meet(bytes.size());
    std::string all = rank_ == owner ? bytes : std::string();
    all.resize(static_cast<std::size_t>(lengths[static_cast<std::size_t>(owner)]));
    MPI_Bcast(all.data(), static_cast<int>(all.size()), MPI_BYTE, owner, MPI_COMM_WORLD);
    return all;
  }

  [[noreturn]] void fail(const std::exception_ptr& error, Index order) override {
    if (failed_) std::rethrow_exception(error);  // it is the error that all have received
    hear({kFailed, order}, steelyard::pack_error(error));
    std::rethrow_exception(error);
  }

 private:
  static constexpr Index kFailed = -1;
  struct State {
    Index length = 0;  // kFailed: an error follows
    Index order = 0;
  };

  std::vector<State> states(const State& own) const {
    std::vector<State> all(static_cast<std::size_t>(size_));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    return all;
  }

  // The lengths of all, when no process has failed.
  std::vector<int> meet(std::size_t length) {
    constexpr std::size_t kMax = std::size_t{1} << 30;  // MPI counts with int, and all lengths are added
    if (length > kMax / static_cast<std::size_t>(size_))
      fail(std::make_exception_ptr(steelyard::InternalError("a message between processes is too long")), 0);
    const std::vector<State> all = states({static_cast<Index>(length), 0});
    std::vector<int> lengths;
    for (const State& state : all) {
      if (state.length == kFailed) raise(all, "");
      lengths.push_back(static_cast<int>(state.length));
    }
    return lengths;
  }

  void hear(const State& own, const std::string& error) { raise(states(own), error); }

  // All errors to all; the one of the lowest piece of work is thrown everywhere.
  [[noreturn]] void raise(const std::vector<State>& all, const std::string& own) {
    failed_ = true;
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    const int length = static_cast<int>(own.size());
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const std::vector<std::string> errors = gather_all(own, lengths);
    std::size_t first = all.size();
    for (std::size_t r = 0; r < all.size(); ++r)
      if (all[r].length == kFailed && (first == all.size() || all[r].order < all[first].order)) first = r;
    steelyard::throw_packed(errors.at(first));
  }

  std::vector<std::string> gather_all(const std::string& bytes, const std::vector<int>& lengths) const {
    const std::vector<int> begins = begins_of(lengths);
    std::string all(static_cast<std::size_t>(begins.back()), '\0');
    MPI_Allgatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, all.data(), lengths.data(),
                   begins.data(), MPI_BYTE, MPI_COMM_WORLD);
    return cut(all, lengths, begins);
  }

  static std::vector<int> begins_of(const std::vector<int>& lengths) {
    std::vector<int> begins = {0};
    for (const int length : lengths) begins.push_back(begins.back() + length);
    return begins;
  }

  static std::vector<std::string> cut(const std::string& all, const std::vector<int>& lengths,
                                      const std::vector<int>& begins) {
    std::vector<std::string> parts;
    for (std::size_t r = 0; r < lengths.size(); ++r)
      parts.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r])));
    return parts;
  }

  int rank_ = 0;
  int size_ = 1;
  bool failed_ = false;
};

// Verbs with work to share; of the others the first process does all.
bool is_shared(const std::string& verb) {
  const std::vector<std::string> shared = {"run",    "identify", "fold",  "validate", "retrieve",
                                           "excite", "next",     "signs", "check"};
  return std::find(shared.begin(), shared.end(), verb) != shared.end();
}

void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

// `--NAME VALUE` in the place of the one that is given, or behind all.
void set_option(std::vector<std::string>& arguments, const std::string& name, const std::string& value,
                bool replace) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool joined = arguments[k].starts_with(name + "=");
    if (arguments[k] != name && !joined) continue;
    if (replace && joined) arguments[k] = name + "=" + value;
    if (replace && !joined && k + 1 < arguments.size()) arguments[k + 1] = value;
    return;
  }
  arguments.insert(arguments.end(), {name, value});
}

int threads_of_each() {
  MPI_Comm here;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int beside = 1;
  MPI_Comm_size(here, &beside);
  MPI_Comm_free(&here);
  return std::max(1, steelyard::hardware_threads() / beside);
}

int run_as_one_of(MpiGroup& group, std::vector<std::string> arguments) {
  const bool shared = arguments.size() > 2 && is_shared(arguments[1]);
  if (!shared && group.rank() > 0) return 0;
  std::filesystem::path aside;
  if (shared) {
    steelyard::set_processes(&group);
    set_option(arguments, "--threads", std::to_string(threads_of_each()), false);
    if (group.rank() > 0) {
      silence();
      aside = std::filesystem::temp_directory_path() / ("steelyard-rank-" + std::to_string(getpid()));
      if (arguments[1] != "signs" && arguments[1] != "check")
        set_option(arguments, "--out", aside.string(), true);
    }
  }
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int code = cli::program(static_cast<int>(arguments.size()), argv.data());
  std::error_code ignored;
  if (!aside.empty()) std::filesystem::remove_all(aside, ignored);
  // mpirun returns the code of the first process; the others have nothing to add.
  return group.rank() == 0 ? code : 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MpiGroup group;
  const int code = run_as_one_of(group, {argv, argv + argc});
  std::fflush(stdout);
  MPI_Finalize();
  return code;
}
