#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "array_file.hpp"
#include "bag_source.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/units.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/log/stamps.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class CsvSource : public SampleSource, public StampSource {
 public:
  CsvSource(const RunFile& file, const std::vector<LogJoint>& joints)
      : csv_(file.csv),
        reader_(file.path, file.csv),
        joints_(static_cast<Index>(joints.size())),
        rate_(file.rate) {
    uses_ = resolve_columns(file, reader_, joints);
    for (const ChannelColumns& channel : file.channels) channels_.push_back(channel.channel);
    distinct_ = distinct(uses_);
    std::vector<int> columns = distinct_.columns;
    if (!file.time.empty()) {
      time_column_ = reader_.find(file.time);
      time_factor_ = parse_unit(file.time_unit, dimension::kTime, {file.path, 0, 0, file.time}).factor;
      columns.push_back(time_column_);
    } else if (!(rate_ > 0) || !std::isfinite(rate_)) {
      throw InputError({fmt::format("the log has no time column and a sampling rate of {} Hz", rate_),
                        {file.path, 0, 0, {}},
                        "a time column, or a positive rate",
                        {}});
    }
    columns_ = columns;
    reader_.select(std::move(columns));
  }

  const std::string& name() const override { return reader_.path(); }
  const std::vector<std::string>& channels() const override { return channels_; }
  Index joints() const override { return joints_; }

  void rewind() override {
    reader_.rewind();
    read_ = 0;
  }

  void read(Index samples, SampleBlock& block) override {
    if (block.channels() != channels_ || block.joints() != joints_) block = SampleBlock(channels_, joints_);
    block.resize(samples);
    const auto row = [&](std::size_t use) { return block.row(0) + static_cast<Index>(use) * block.stride(); };
    std::vector<double*> targets;
    for (const std::size_t use : distinct_.reads) targets.push_back(row(use));
    if (time_column_ >= 0) targets.push_back(block.time());
    const Index count = reader_.read(samples, targets.data());
    block.resize(count);
    for (const auto& [use, first] : distinct_.copies) std::copy_n(row(first), count, row(use));
    for (std::size_t r = 0; r < uses_.size(); ++r)
      for (Index i = 0; i < count; ++i) row(r)[i] = uses_[r].factor * row(r)[i] + uses_[r].offset;
    stamp(block.time(), count);
    read_ += count;
    if (count == 0 && read_ < 2) fail_short();
  }

  // By the time column alone, or by the first one that counts the rows. Parts of the file are its own,
  // regardless of the number of threads; where one of them fails, or does not follow the other, the full scan
  // reports the line.
  TimeScanner scan_stamps(int threads) override {
    const Index parts = count_parts();
    std::optional<TimeScanner> scanner;
    if (parts > 1) scanner = scan_parts(parts, threads);
    if (!scanner) scanner = scan_whole();
    reader_.select(columns_);
    read_ = 0;
    return *scanner;
  }

  std::optional<TimeScan> presume_stamps() const override {
    if (count_parts() == 1) return {};
    CsvReader reader(reader_.path(), csv_);
    reader.select({time_column_});
    const std::int64_t size = reader.file_size();
    try {
      return presume_uniform(size, [&](std::int64_t byte, Index rows) {
        reader.rewind_to(byte, size);
        std::vector<double> stamps(static_cast<std::size_t>(rows));
        double* const target[] = {stamps.data()};
        stamps.resize(static_cast<std::size_t>(reader.read(rows, target)));
        for (double& stamp : stamps) stamp *= time_factor_;
        return stamps;
      });
    } catch (const InputError&) {  // the scan reports where
      return {};
    }
  }

 private:
  static constexpr Index kPiece = 4096;
  static constexpr std::int64_t kPartBuffers = 256;  // of the file that are scanned at a time

  Index count_parts() const {
    const auto part_size = kPartBuffers * static_cast<std::int64_t>(csv_.buffer);
    return time_column_ < 0 ? 1 : 1 + reader_.file_size() / part_size;
  }

  TimeScanner scan_whole() {
    TimeScanner scanner;
    std::vector<double> stamps(kPiece);
    double* const target[] = {stamps.data()};
    reader_.select({time_column_ >= 0 ? time_column_ : uses_.front().column});
    read_ = 0;
    for (Index count = reader_.read(kPiece, target); count > 0; count = reader_.read(kPiece, target)) {
      stamp(stamps.data(), count);
      scanner.add({stamps.data(), static_cast<std::size_t>(count)});
      read_ += count;
    }
    if (read_ < 2) fail_short();
    return scanner;
  }

  std::optional<TimeScanner> scan_parts(Index parts, int threads) const {
    std::vector<TimeScanner> part(static_cast<std::size_t>(parts));
    std::atomic<bool> failed = false;
    parallel_for(
        parts, threads,
        [&](Index k) {
          try {
            if (!scan_part(k, parts, part[static_cast<std::size_t>(k)])) failed = true;
          } catch (const InputError&) {
            failed = true;
          }
        },
        [&] { return failed.load(); });
    TimeScanner all;
    for (const TimeScanner& next : part) {
      if (failed || (all.samples() > 0 && next.samples() > 0 && !(next.first() > all.last()))) return {};
      all.append(next);
    }
    if (all.samples() < 2) return {};
    return all;
  }

  // False when time does not increase.
  bool scan_part(Index k, Index parts, TimeScanner& scanner) const {
    CsvReader reader(reader_.path(), csv_);
    reader.select({time_column_});
    const std::int64_t size = reader_.file_size();
    reader.rewind_to(size / parts * k, k + 1 < parts ? size / parts * (k + 1) : size);
    std::vector<double> stamps(kPiece);
    double* const target[] = {stamps.data()};
    for (Index count = reader.read(kPiece, target); count > 0; count = reader.read(kPiece, target)) {
      for (Index i = 0; i < count; ++i) {
        double& stamp = stamps[static_cast<std::size_t>(i)];
        stamp *= time_factor_;
        const bool first = i == 0 && scanner.samples() == 0;
        if (!first && !(stamp > (i == 0 ? scanner.last() : stamps[static_cast<std::size_t>(i - 1)])))
          return false;
      }
      scanner.add({stamps.data(), static_cast<std::size_t>(count)});
    }
    return true;
  }

  // SI stamps, strictly increasing.
  void stamp(double* time, Index count) {
    for (Index i = 0; i < count; ++i) {
      if (time_column_ < 0) {
        time[i] = static_cast<double>(read_ + i) / rate_;
        continue;
      }
      const double field = time[i];
      time[i] = field * time_factor_;
      const bool first = read_ + i == 0;
      if (!first && !(time[i] > (i > 0 ? time[i - 1] : last_time_))) fail_time(i, field);
    }
    if (count > 0) last_time_ = time[count - 1];
  }

  [[noreturn]] void fail_time(Index row, double field) const {
    const Index line = reader_.lines()[static_cast<std::size_t>(row)];
    check_rows(line);
    const Place place = reader_.place(line, time_column_);
    const bool commas = reader_.separator() == Separator::comma && field == std::floor(field);
    throw InputError({fmt::format("time does not increase: {} = {} is not later than in the previous row",
                                  reader_.describe(time_column_), field),
                      place, "time stamps that increase from row to row",
                      commas ? "remove repeated rows, or split the file where a new run starts; if numbers "
                               "have decimal commas, write points"
                             : "remove repeated rows, or split the file where a new run starts"});
  }

  // The scan of the stamps does not look behind the time column: rows of other lengths up to this line, as
  // decimal commas make them, are the actual cause.
  void check_rows(Index line) const {
    CsvReader reader(reader_.path(), csv_);
    reader.select(columns_);
    std::vector<double> row(columns_.size());
    std::vector<double*> targets;
    for (double& value : row) targets.push_back(&value);
    while (reader.read(1, targets.data()) > 0 && reader.lines().front() < line) {
    }
  }

  [[noreturn]] void fail_short() const {
    throw InputError({fmt::format("the log has {} of numbers", read_ == 0 ? "no row" : "one row"),
                      {reader_.path(), 0, 0, {}},
                      "at least two rows",
                      "check that the log was written completely"});
  }

  CsvOptions csv_;
  CsvReader reader_;
  Index joints_;
  double rate_;
  std::vector<ColumnUse> uses_;  // [channel][joint]
  DistinctColumns distinct_;     // of the uses
  std::vector<int> columns_;     // that are read
  std::vector<std::string> channels_;
  int time_column_ = -1;
  double time_factor_ = 1;
  double last_time_ = 0;
  Index read_ = 0;  // rows of this pass
};

}  // namespace

std::unique_ptr<SampleSource> open_run(const RunFile& file, const std::vector<LogJoint>& joints) {
  if (array_format(file.path) != ArrayFormat::none)
    return open_table(file, joints, *open_array_columns(file.path));
  if (is_bag(file.path)) return open_table(file, joints, *open_bag_columns(file.path, file.topic));
  return std::make_unique<CsvSource>(file, joints);
}

}  // namespace steelyard
