#include "table_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "steelyard/core/units.hpp"
#include "steelyard/log/columns.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class TableSource : public SampleSource {
 public:
  TableSource(const RunFile& file, const std::vector<LogJoint>& joints, const TableColumns& columns)
      : path_(file.path) {
    const auto uses = resolve_columns(file, columns, joints);
    std::vector<std::string> channels;
    for (const ChannelColumns& channel : file.channels) channels.push_back(channel.channel);
    std::vector<int> wanted;
    if (!file.time.empty()) wanted.push_back(columns.find(file.time));
    const DistinctColumns once = distinct(uses);
    wanted.insert(wanted.end(), once.columns.begin(), once.columns.end());
    columns.check_size(wanted);
    samples_ =
        SampleBlock(std::move(channels), static_cast<Index>(joints.size()), common_length(columns, wanted));
    const auto row = [&](std::size_t use) {
      return samples_.row(0) + static_cast<Index>(use) * samples_.stride();
    };
    std::vector<double*> targets;
    if (!file.time.empty()) targets.push_back(samples_.time());
    for (const std::size_t use : once.reads) targets.push_back(row(use));
    columns.read(wanted, targets);
    for (std::size_t k = 0; k < wanted.size(); ++k) require_finite(columns, wanted[k], targets[k]);
    for (const auto& [use, first] : once.copies) std::copy_n(row(first), samples_.size(), row(use));
    for (std::size_t r = 0; r < uses.size(); ++r)
      for (Index i = 0; i < samples_.size(); ++i) row(r)[i] = uses[r].factor * row(r)[i] + uses[r].offset;
    if (file.time.empty()) {
      stamp_by_rate(file);
    } else {
      stamp(file, columns, wanted.front());
    }
  }

  const std::string& name() const override { return path_; }
  const std::vector<std::string>& channels() const override { return samples_.channels(); }
  Index joints() const override { return samples_.joints(); }
  void rewind() override { next_ = 0; }

  void read(Index samples, SampleBlock& block) override {
    const Index count = std::min(samples, samples_.size() - next_);
    if (block.channels() != channels() || block.joints() != joints())
      block = SampleBlock(channels(), joints());
    block.resize(0);
    block.append(samples_, next_, count);
    next_ += count;
  }

 private:
  Index common_length(const TableColumns& columns, const std::vector<int>& wanted) const {
    const Place whole{path_, 0, 0, {}};
    if (wanted.empty())
      throw InputError({"no variables are given", whole, {}, "give the columns of the log"});
    const Index length = columns.samples(wanted.front());
    for (const int column : wanted) {
      if (columns.samples(column) == length) continue;
      throw InputError({fmt::format("{} has {} samples, {} has {}", columns.describe(column),
                                    columns.samples(column), columns.describe(wanted.front()), length),
                        columns.place(column), "the same number of samples in every variable",
                        "check that the log was written completely"});
    }
    if (length < 2) {
      throw InputError({fmt::format("the log has {} of numbers", length == 0 ? "no sample" : "one sample"),
                        whole, "at least two samples", "check that the log was written completely"});
    }
    return length;
  }

  void require_finite(const TableColumns& columns, int column, const double* values) const {
    for (Index i = 0; i < samples_.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      throw InputError({fmt::format("sample {} of {} holds '{}', which is not a finite number", i + 1,
                                    columns.describe(column), values[i]),
                        columns.place(column), "finite numbers",
                        "remove these samples, or repair them before use"});
    }
  }

  void stamp_by_rate(const RunFile& file) {
    if (!(file.rate > 0) || !std::isfinite(file.rate)) {
      throw InputError({fmt::format("the log has no time column and a sampling rate of {} Hz", file.rate),
                        {file.path, 0, 0, {}},
                        "a time column, or a positive rate",
                        {}});
    }
    for (Index i = 0; i < samples_.size(); ++i) samples_.time()[i] = static_cast<double>(i) / file.rate;
  }

  void stamp(const RunFile& file, const TableColumns& columns, int column) {
    const double factor = parse_unit(file.time_unit, dimension::kTime, {path_, 0, 0, file.time}).factor;
    double* time = samples_.time();
    for (Index i = 0; i < samples_.size(); ++i) {
      const double field = time[i];
      time[i] = field * factor;
      if (i == 0 || time[i] > time[i - 1]) continue;
      throw InputError(
          {fmt::format("time does not increase: sample {} of {} = {} is not later than the previous one",
                       i + 1, columns.describe(column), field),
           columns.place(column), "time stamps that increase from sample to sample",
           "remove repeated samples, or split the file where a new run starts"});
    }
  }

  std::string path_;
  SampleBlock samples_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> open_table(const RunFile& file, const std::vector<LogJoint>& joints,
                                         const TableColumns& columns) {
  return std::make_unique<TableSource>(file, joints, columns);
}

std::string file_ending(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] != '.') return {};
  std::string ending = path.substr(dot + 1);
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

}  // namespace steelyard
