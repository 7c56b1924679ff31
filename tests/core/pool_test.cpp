#include "steelyard/core/pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace steelyard {
namespace {

std::string first_error(Index count, int threads, const std::function<void(Index)>& fn) {
  try {
    parallel_for(count, threads, fn);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(Pool, RunsEveryIndexOnce) {
  for (const int threads : {-1, 0, 1, 2, 4, 16}) {
    for (const Index count : {0, 1, 2, 7, 1000}) {
      std::vector<int> runs(static_cast<std::size_t>(count));
      parallel_for(count, threads, [&](Index i) { ++runs[static_cast<std::size_t>(i)]; });
      EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(count), 1)) << threads << " threads";
    }
  }
}

TEST(Pool, OneThreadIsTheCallersInOrder) {
  const auto caller = std::this_thread::get_id();
  std::vector<Index> order;
  parallel_for(5, 1, [&](Index i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(Pool, UsesSeveralThreads) {
  // Two indices that wait for each other can only end when they run at the same time.
  std::atomic<int> arrived{0};
  parallel_for(2, 2, [&](Index) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(Pool, RethrowsTheLowestIndexThatThrew) {
  for (const int threads : {1, 2, 4, 8}) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      EXPECT_EQ(first_error(200, threads,
                            [](Index i) {
                              if (i == 3) std::this_thread::yield();
                              if (i >= 3) throw std::runtime_error(std::to_string(i));
                            }),
                "3");
    }
  }
}

TEST(Pool, StartsNothingAfterAnException) {
  std::atomic<Index> runs{0};
  EXPECT_EQ(first_error(1000000, 4,
                        [&](Index i) {
                          ++runs;
                          if (i == 0) throw std::runtime_error("0");
                        }),
            "0");
  EXPECT_LT(runs, 1000000);
}

TEST(Pool, StopsWhenToldTo) {
  for (const int threads : {1, 3}) {
    std::stop_source source;
    std::atomic<Index> runs{0};
    const bool complete = parallel_for(
        1000000, threads,
        [&](Index i) {
          ++runs;
          if (i == 10) source.request_stop();
        },
        source.get_token());
    EXPECT_FALSE(complete);
    EXPECT_GE(runs, 11);
    EXPECT_LT(runs, 1000000);
  }
}

TEST(Pool, StopsByPredicateAndTellsCompletion) {
  std::atomic<bool> stop{false};
  const auto predicate = [&] { return stop.load(); };
  EXPECT_TRUE(parallel_for(
      100, 2, [](Index) {}, predicate));
  stop = true;
  EXPECT_FALSE(parallel_for(
      100, 2, [](Index) { ADD_FAILURE(); }, predicate));
  EXPECT_TRUE(parallel_for(
      0, 2, [](Index) {}, predicate));
}

TEST(Pool, StopAfterTheLastIndexIsStillComplete) {
  std::stop_source source;
  EXPECT_TRUE(parallel_for(
      3, 1,
      [&](Index i) {
        if (i == 2) source.request_stop();
      },
      source.get_token()));
}

TEST(Pool, MayBeNested) {
  std::atomic<int> runs{0};
  parallel_for(4, 2, [&](Index) { parallel_for(8, 2, [&](Index) { ++runs; }); });
  EXPECT_EQ(runs, 32);
}

}  // namespace
}  // namespace steelyard
