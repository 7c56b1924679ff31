#include "steelyard/core/pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "steelyard/core/parallel_depth.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

thread_local int parallel_depth = 0;

struct Inside {
  Inside() { ++parallel_depth; }
  ~Inside() { --parallel_depth; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

class Job {
 public:
  Job(Index count, const std::function<void(Index)>& fn, const std::function<bool()>& stop)
      : count_(count), fn_(fn), stop_(stop) {}

  // A handed-out index is always run: all indices below a throwing one have been handed out before it, so the
  // lowest throwing index is met for any number of threads. That is why the end is requested before the index
  // is taken.
  void work() noexcept {
    const Inside inside;
    while (!ended_.load(std::memory_order_relaxed)) {
      Index index = count_;
      try {
        if (stop_ && stop_()) {
          ended_.store(true, std::memory_order_relaxed);
          return;
        }
        index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= count_) return;
        fn_(index);
        done_.fetch_add(1, std::memory_order_relaxed);
      } catch (...) {
        fail(index);
      }
    }
  }

  // After all workers have ended.
  bool finish() {
    if (error_) std::rethrow_exception(error_);
    return done_.load(std::memory_order_relaxed) == count_;
  }

 private:
  void fail(Index index) noexcept {
    ended_.store(true, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    if (error_ && index >= error_index_) return;
    error_ = std::current_exception();
    error_index_ = index;
  }

  const Index count_;
  const std::function<void(Index)>& fn_;
  const std::function<bool()>& stop_;
  std::atomic<Index> next_{0};
  std::atomic<Index> done_{0};
  std::atomic<bool> ended_{false};
  std::mutex mutex_;
  std::exception_ptr error_;
  Index error_index_ = 0;
};

}  // namespace

bool parallel_for(Index count, int threads, const std::function<void(Index)>& fn,
                  const std::function<bool()>& stop) {
  if (count <= 0) return true;
  Job job(count, fn, stop);
  {
    std::vector<std::jthread> helpers;
    const Index wanted = std::min<Index>(threads, count) - 1;
    try {
      for (Index i = 0; i < wanted; ++i) helpers.emplace_back([&job] { job.work(); });
    } catch (const std::system_error&) {
      // No more threads available: the existing ones and the caller's do the work.
    }
    job.work();
  }
  return job.finish();
}

void parallel_for(Index count, int threads, const std::function<void(Index)>& fn) {
  parallel_for(count, threads, fn, std::function<bool()>());
}

bool parallel_for(Index count, int threads, const std::function<void(Index)>& fn,
                  const std::stop_token& stop) {
  return parallel_for(count, threads, fn, [&stop] { return stop.stop_requested(); });
}

bool is_inside_parallel_for() {
  return parallel_depth > 0;
}

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace steelyard
