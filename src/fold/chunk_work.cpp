#include "fold/chunk_work.hpp"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "steelyard/core/error.hpp"
#include "steelyard/core/parallel_depth.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/processes.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// One pass on the threads of this process. Each takes pending work: one at a time reads the next chunk, the
// others fold those that have been read.
class Pipeline {
 public:
  Pipeline(PreparedRun& run, const PassOptions& options, const FoldChunk& fold, FoldSet& set)
      : run_(run), options_(options), fold_(fold), set_(set), end_(run.plan().count()) {}

  void work() {
    parallel_for(std::min(threads_, end_), options_.threads, [&](Index) {
      while (step()) {
      }
    });
    if (error_) std::rethrow_exception(error_);
    if (options_.progress) options_.progress(end_, end_);
  }

 private:
  // False when nothing is left for this thread. Reading comes first: it gives the others their work.
  bool step() {
    std::unique_lock lock(mutex_);
    const auto can_read = [&] {
      return !reading_ && read_ < end_ && read_ < appended_ + 2 * threads_ &&
             static_cast<Index>(raw_.size()) < threads_;
    };
    const auto is_done = [&] { return !reading_ && read_ >= end_ && raw_.empty(); };
    changed_.wait(lock, [&] { return can_read() || !raw_.empty() || is_done(); });
    if (is_done()) return false;
    Index k = read_;
    try {
      if (can_read()) {
        read(lock);
      } else {
        k = raw_.front().first;
        fold(lock);
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      fail(k);
    }
    return true;
  }

  void read(std::unique_lock<std::mutex>& lock) {
    reading_ = true;
    lock.unlock();
    RawChunk raw;
    require(run_.read(raw), "a run has the chunks of its plan");
    lock.lock();
    reading_ = false;
    if (read_ < end_) raw_.emplace_back(read_, std::move(raw));
    ++read_;
    changed_.notify_all();
  }

  void fold(std::unique_lock<std::mutex>& lock) {
    auto [k, raw] = std::move(raw_.front());
    raw_.pop_front();
    changed_.notify_all();
    lock.unlock();
    std::vector<FoldSlot> slots = fold_(std::move(raw));
    lock.lock();
    ready_.emplace(k, std::move(slots));
    append(lock);
  }

  // The first thread that arrives while no other appends.
  void append(std::unique_lock<std::mutex>& lock) {
    if (appending_) return;
    appending_ = true;
    for (auto next = ready_.find(appended_); next != ready_.end(); next = ready_.find(appended_)) {
      std::vector<FoldSlot> slots = std::move(next->second);
      ready_.erase(next);
      lock.unlock();
      for (FoldSlot& slot : slots) set_.append(std::move(slot));
      lock.lock();
      ++appended_;
      changed_.notify_all();
    }
    appending_ = false;
    if (options_.progress && std::this_thread::get_id() == caller_)
      options_.progress(appended_, run_.plan().count());
  }

  // Chunks before this one are still read and folded: the error is that of the first one that has one.
  void fail(Index k) {
    if (k < end_) {
      end_ = k;
      error_ = std::current_exception();
    }
    while (!raw_.empty() && raw_.back().first >= end_) raw_.pop_back();
    if (k == read_) reading_ = false;
    changed_.notify_all();
  }

  PreparedRun& run_;
  const PassOptions& options_;
  const FoldChunk& fold_;
  FoldSet& set_;
  const Index threads_ = std::max(1, options_.threads);
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<Index, RawChunk>> raw_;  // by index
  std::map<Index, std::vector<FoldSlot>> ready_;
  Index end_;  // of the requested chunks
  Index read_ = 0;
  Index appended_ = 0;
  bool reading_ = false;
  bool appending_ = false;
  std::exception_ptr error_;
};

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T get(std::string_view& bytes) {
  T value;
  require(bytes.size() >= sizeof value, "folds of another process are complete");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

void put_folds(std::string& bytes, const std::vector<Fold>& folds) {
  put(bytes, static_cast<Index>(folds.size()));
  for (const Fold& fold : folds) {
    put(bytes, fold.rows());
    put(bytes, fold.depth());
    for (Index i = 0; i < fold.depth(); ++i)
      for (Index j = i; j < fold.size(); ++j) put(bytes, fold(i, j));
  }
}

std::vector<Fold> get_folds(std::string_view& bytes, const FoldSet& set) {
  std::vector<Fold> folds(static_cast<std::size_t>(get<Index>(bytes)));
  require(folds.size() <= set.layouts().size(), "folds of another process have its rows");
  for (std::size_t r = 0; r < folds.size(); ++r) {
    const auto& layout = set.layouts()[r];
    const auto rows = get<Index>(bytes), depth = get<Index>(bytes);
    MatrixXd R = MatrixXd::Zero(depth, layout->size());
    for (Index i = 0; i < depth; ++i)
      for (Index j = i; j < R.cols(); ++j) R(i, j) = get<double>(bytes);
    folds[r] = fold_of_triangle(layout, R, rows);
  }
  return folds;
}

std::string pack_blocks(const FoldSet& set) {
  const std::vector<FoldBlock> blocks = set.blocks();
  std::string bytes;
  put(bytes, set.slots());
  put(bytes, set.slots_per_block());
  put(bytes, static_cast<Index>(blocks.size()));
  for (const FoldBlock& block : blocks) {
    put(bytes, block.first_slot);
    put(bytes, block.slots);
    put_folds(bytes, block.core);
    put_folds(bytes, block.gap);
  }
  return bytes;
}

FoldSet unpack_blocks(std::string_view bytes, const FoldSet& set) {
  const auto slots = get<Index>(bytes), per_block = get<Index>(bytes);
  std::vector<FoldBlock> blocks(static_cast<std::size_t>(get<Index>(bytes)));
  for (FoldBlock& block : blocks) {
    block.first_slot = get<Index>(bytes);
    block.slots = get<Index>(bytes);
    block.core = get_folds(bytes, set);
    block.gap = get_folds(bytes, set);
  }
  return FoldSet(std::move(blocks), slots, per_block);
}

// The chunks from `first` on that are this process' own, folded and packed; the others are read over.
std::string own_chunks(PreparedRun& run, int threads, const FoldChunk& fold, Index first, Index end) {
  const ProcessGroup& group = processes();
  std::vector<RawChunk> raw;
  Index at = first;  // that fails, if one does
  try {
    for (; at < end; ++at) {
      RawChunk next;
      require(run.read(next), "a run has the chunks of its plan");
      if (at % group.size() == group.rank()) raw.push_back(std::move(next));
    }
  } catch (...) {
    processes().fail(std::current_exception(), at);
  }
  std::vector<std::vector<FoldSlot>> slots(raw.size());
  try {
    parallel_for(static_cast<Index>(raw.size()), threads, [&](Index k) {
      const auto i = static_cast<std::size_t>(k);
      slots[i] = fold(std::move(raw[i]));
    });
  } catch (...) {
    processes().fail(std::current_exception(), first);
  }
  std::string bytes;
  for (const std::vector<FoldSlot>& part : slots) {
    put(bytes, static_cast<Index>(part.size()));
    for (const FoldSlot& slot : part) {
      put_folds(bytes, slot.core);
      put_folds(bytes, slot.gap);
    }
  }
  return bytes;
}

void share_chunks(PreparedRun& run, const PassOptions& options, const FoldChunk& fold, FoldSet& set) {
  ProcessGroup& group = processes();
  constexpr int kOwner = 0;
  const Index chunks = run.plan().count(), wave = Index{2} * std::max(1, options.threads) * group.size();
  for (Index first = 0; first < chunks; first += wave) {
    const Index end = std::min(chunks, first + wave);
    const std::vector<std::string> all =
        group.collect(own_chunks(run, options.threads, fold, first, end), kOwner);
    std::vector<std::string_view> parts(all.begin(), all.end());
    for (Index k = first; k < end && !parts.empty(); ++k) {
      std::string_view& bytes = parts[static_cast<std::size_t>(k % group.size())];
      for (Index left = get<Index>(bytes); left > 0; --left) {
        FoldSlot slot;
        slot.core = get_folds(bytes, set);
        slot.gap = get_folds(bytes, set);
        set.append(std::move(slot));
      }
    }
    if (options.progress) options.progress(end, chunks);
  }
  const bool owner = group.rank() == kOwner;
  const std::string bytes = group.spread(owner ? pack_blocks(set) : std::string(), kOwner);
  if (!owner) set = unpack_blocks(bytes, set);
}

}  // namespace

void fold_chunks(PreparedRun& run, const PassOptions& options, const FoldChunk& fold, FoldSet& set) {
  run.rewind();
  // Weighers may count rows: every process then reads all of them.
  if (processes().size() > 1 && !options.weigh && !is_inside_parallel_for())
    share_chunks(run, options, fold, set);
  else
    Pipeline(run, options, fold, set).work();
}

}  // namespace steelyard
