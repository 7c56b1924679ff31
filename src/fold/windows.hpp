// Buffers shared by the chunks of a pass: a window of filtered columns is tens of
// megabytes, and new pages from the system cost as much as the computation in them.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "fold/aligned.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Windows {
 public:
  // One that was given back and is large enough, or a new one; what it holds is not defined.
  class Lease {
   public:
    Lease(Windows& owner, Index doubles) : owner_(owner), size_(doubles) {
      const std::scoped_lock lock(owner_.mutex_);
      while (!buffer_ && !owner_.free_.empty()) {
        auto [size, buffer] = std::move(owner_.free_.back());
        owner_.free_.pop_back();  // smaller ones go
        if (size < doubles) continue;
        size_ = size;
        buffer_ = std::move(buffer);
      }
      if (!buffer_) buffer_ = aligned_buffer(doubles);
    }
    ~Lease() {
      const std::scoped_lock lock(owner_.mutex_);
      owner_.free_.emplace_back(size_, std::move(buffer_));
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    double* get() const { return buffer_.get(); }

   private:
    Windows& owner_;
    Index size_;
    AlignedBuffer buffer_;
  };

 private:
  std::mutex mutex_;
  std::vector<std::pair<Index, AlignedBuffer>> free_;
};

}  // namespace steelyard
