#include "steelyard/core/processes.hpp"

#include <cstring>
#include <new>

#include "steelyard/core/error.hpp"
#include "steelyard/core/parallel_depth.hpp"
#include "steelyard/core/pool.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class OneProcess : public ProcessGroup {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<std::string> exchange(const std::string& bytes) override { return {bytes}; }
  std::vector<std::string> collect(const std::string& bytes, int) override { return {bytes}; }
  std::string spread(const std::string& bytes, int) override { return bytes; }
  [[noreturn]] void fail(const std::exception_ptr& error, Index) override { std::rethrow_exception(error); }
};

OneProcess one_process;
ProcessGroup* current_group = &one_process;

// Texts one after the other, each behind its length.
std::string pack_texts(std::initializer_list<std::string> texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    const std::uint64_t length = text.size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += text;
  }
  return bytes;
}

std::string take_text(std::string_view& bytes) {
  std::uint64_t length = 0;
  require(bytes.size() >= sizeof length, "a packed error is complete");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  require(bytes.size() >= length, "a packed error is complete");
  std::string text(bytes.substr(0, length));
  bytes.remove_prefix(length);
  return text;
}

std::string pack_complaint(const char* kind, const Complaint& complaint) {
  const Place& place = complaint.place;
  return pack_texts({kind, complaint.what, place.file, std::to_string(place.line),
                     std::to_string(place.column), place.joint, complaint.limit, complaint.remedy});
}

Complaint take_complaint(std::string_view& bytes) {
  Complaint complaint;
  complaint.what = take_text(bytes);
  complaint.place.file = take_text(bytes);
  complaint.place.line = std::stoi(take_text(bytes));
  complaint.place.column = std::stoi(take_text(bytes));
  complaint.place.joint = take_text(bytes);
  complaint.limit = take_text(bytes);
  complaint.remedy = take_text(bytes);
  return complaint;
}

// Every process takes the pieces rank, rank + size, …; each result goes behind its length.
std::string own_part(const std::vector<std::vector<double>>& results, int rank, int size) {
  std::string bytes;
  for (std::size_t k = static_cast<std::size_t>(rank); k < results.size();
       k += static_cast<std::size_t>(size)) {
    const std::uint64_t length = results[k].size();
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(reinterpret_cast<const char*>(results[k].data()), length * sizeof(double));
  }
  return bytes;
}

void put_part(std::string_view bytes, int rank, int size, std::vector<std::vector<double>>& results) {
  for (std::size_t k = static_cast<std::size_t>(rank); k < results.size();
       k += static_cast<std::size_t>(size)) {
    std::uint64_t length = 0;
    require(bytes.size() >= sizeof length, "a part of shared work is complete");
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    require(bytes.size() >= length * sizeof(double), "a part of shared work is complete");
    results[k].resize(length);
    if (length > 0) std::memcpy(results[k].data(), bytes.data(), length * sizeof(double));
    bytes.remove_prefix(length * sizeof(double));
  }
}

}  // namespace

ProcessGroup& processes() {
  return *current_group;
}

void set_processes(ProcessGroup* group) {
  current_group = group != nullptr ? group : &one_process;
}

void share(Index count, int threads, const std::function<std::vector<double>(Index)>& fn,
           const std::function<void(Index, std::span<const double>)>& take) {
  ProcessGroup& group = is_inside_parallel_for() ? one_process : processes();
  const int rank = group.rank(), size = group.size();
  std::vector<std::vector<double>> results(static_cast<std::size_t>(count));
  Index failed = count;  // the lowest own piece that threw; pieces are handed out in ascending order
  std::exception_ptr error;
  try {
    parallel_for((count - rank + size - 1) / size, threads, [&](Index i) {
      const Index k = rank + i * size;
      results[static_cast<std::size_t>(k)] = fn(k);
    });
  } catch (...) {
    error = std::current_exception();
    for (Index k = rank; k < count && failed == count; k += size)
      if (results[static_cast<std::size_t>(k)].empty()) failed = k;
  }
  if (error) group.fail(error, failed);
  if (size > 1) {
    const std::vector<std::string> parts = group.exchange(own_part(results, rank, size));
    for (int other = 0; other < size; ++other)
      if (other != rank) put_part(parts[static_cast<std::size_t>(other)], other, size, results);
  }
  for (Index k = 0; k < count; ++k) take(k, results[static_cast<std::size_t>(k)]);
}

std::string pack_error(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& one) {
    return pack_complaint("input", one.complaint());
  } catch (const MachineError& one) {
    return pack_complaint("machine", one.complaint());
  } catch (const std::bad_alloc&) {
    return pack_texts({"memory"});
  } catch (const std::exception& one) {
    return pack_texts({"bug", one.what()});
  }
}

void throw_packed(const std::string& bytes) {
  std::string_view rest = bytes;
  const std::string kind = take_text(rest);
  if (kind == "input") throw InputError(take_complaint(rest));
  if (kind == "machine") throw MachineError(take_complaint(rest));
  if (kind == "memory") throw std::bad_alloc();
  throw InternalError(take_text(rest));
}

}  // namespace steelyard
