#include "steelyard/log/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/forwarding_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kPiece = 4096;

class WindowSource : public ForwardingSource {
 public:
  WindowSource(std::unique_ptr<SampleSource> source, const TimeWindow& window)
      : ForwardingSource(std::move(source)), window_(window) {}

  void rewind() override {
    source_->rewind();
    ended_ = false;
  }

  void read(Index samples, SampleBlock& block) override {
    block.resize(0);
    while (!ended_) {
      source_->read(samples, block);
      if (block.size() == 0) return;
      keep_inside(block);
      if (block.size() > 0) return;
    }
  }

 private:
  void keep_inside(SampleBlock& block) {
    const double* stamps = block.time();
    const auto index = [&](double time) {
      return std::lower_bound(stamps, stamps + block.size(), time) - stamps;
    };
    const Index begin = index(window_.from), end = index(window_.to);
    ended_ = end < block.size();
    block.resize(end);
    block.drop_front(std::min(begin, end));
  }

  TimeWindow window_;
  bool ended_ = false;  // a sample behind the window has been read
};

struct Extent {
  Index samples = 0;
  double first = 0, last = 0;
};

Extent extent_of(SampleSource& source) {
  Extent extent;
  SampleBlock block;
  source.rewind();
  for (source.read(kPiece, block); block.size() > 0; source.read(kPiece, block)) {
    if (extent.samples == 0) extent.first = block.time()[0];
    extent.last = block.time()[block.size() - 1];
    extent.samples += block.size();
  }
  source.rewind();
  return extent;
}

std::string range_text(const TimeWindow& window) {
  const bool begins = std::isfinite(window.from), ends = std::isfinite(window.to);
  if (begins && ends) return fmt::format("from {:.6g} s to {:.6g} s", window.from, window.to);
  return begins ? fmt::format("from {:.6g} s on", window.from) : fmt::format("before {:.6g} s", window.to);
}

void require_samples(const std::string& name, const Extent& log, const TimeWindow& window, Index samples) {
  if (samples >= 2) return;
  throw InputError(
      {fmt::format("the log has {} {}", samples == 0 ? "no sample" : "one sample", range_text(window)),
       {name, 0, 0, {}},
       fmt::format("its time goes from {:.6g} s to {:.6g} s", log.first, log.last),
       "give `from` and `to` in seconds of the log's own time stamps"});
}

}  // namespace

std::unique_ptr<SampleSource> cut_to_window(std::unique_ptr<SampleSource> source, const TimeWindow& window,
                                            const TimeShare& share) {
  if (window.is_all() && share.is_all()) return source;
  const Extent log = extent_of(*source);
  auto inside = std::make_unique<WindowSource>(std::move(source), window);
  const Extent kept = window.is_all() ? log : extent_of(*inside);
  require_samples(inside->name(), log, window, kept.samples);
  if (share.is_all()) return inside;
  const double length = kept.last - kept.first;
  TimeWindow part = window;
  if (share.begin > 0) part.from = kept.first + share.begin * length;
  if (share.end < 1) part.to = kept.first + share.end * length;
  auto cut = std::make_unique<WindowSource>(std::move(inside), part);
  require_samples(cut->name(), log, part, extent_of(*cut).samples);
  return cut;
}

}  // namespace steelyard
