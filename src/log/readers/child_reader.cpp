#include "child_reader.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace steelyard::inline STEELYARD_ABI {
namespace {

void put_number(std::string& bytes, std::uint64_t number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

void put_text(std::string& bytes, const std::string& text) {
  put_number(bytes, text.size());
  bytes += text;
}

void send_bytes(int out, const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::write(out, next, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(0);  // the parent has closed its end
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

void send_answer(int out, Answer kind, const void* bytes, std::size_t count) {
  std::string head(1, static_cast<char>(kind));
  put_number(head, count);
  send_bytes(out, head.data(), head.size());
  send_bytes(out, bytes, count);
}

[[noreturn]] void send_error(int out, Answer kind, const Complaint& complaint) {
  std::string bytes;
  put_text(bytes, complaint.what);
  put_text(bytes, complaint.limit);
  put_text(bytes, complaint.remedy);
  send_answer(out, kind, bytes.data(), bytes.size());
  ::_exit(0);
}

std::uint64_t next_request(int in) {
  std::uint64_t request = 0;
  ssize_t got = -1;
  do {
    got = ::recv(in, &request, sizeof request, MSG_WAITALL);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof request)) ::_exit(0);
  return request;
}

void send_contents(int out, const ArrayFile& file) {
  std::string bytes(1, file.last_index_is_fastest() ? 1 : 0);
  put_number(bytes, file.arrays().size());
  for (const ArrayInfo& array : file.arrays()) {
    put_text(bytes, array.name);
    put_text(bytes, array.type);
    bytes += array.numeric ? '\1' : '\0';
    put_number(bytes, array.sizes.size());
    for (const std::uint64_t size : array.sizes) put_number(bytes, size);
  }
  send_answer(out, Answer::contents, bytes.data(), bytes.size());
}

void serve(const OpenArrayFile& open, const std::string& path, int in, int out) {
  const std::unique_ptr<ArrayFile> file = open(path);
  send_contents(out, *file);
  std::vector<double> values;
  for (;;) {
    const std::uint64_t array = next_request(in);
    if (array >= file->arrays().size()) ::_exit(0);
    values.resize(static_cast<std::size_t>(file->arrays()[static_cast<std::size_t>(array)].count()));
    file->read(static_cast<std::size_t>(array), values.data());
    send_answer(out, Answer::numbers, values.data(), values.size() * sizeof(double));
  }
}

}  // namespace

void serve_array_file(const OpenArrayFile& open, const std::string& path, int in, int out) {
  try {
    serve(open, path, in, out);
  } catch (const InputError& error) {
    send_error(out, Answer::input_error, error.complaint());
  } catch (const MachineError& error) {
    send_error(out, Answer::machine_error, error.complaint());
  } catch (const std::bad_alloc&) {
    send_error(out, Answer::input_error,
               {"the file is damaged: it requests more memory than such a file can need",
                {},
                {},
                "check that it was written completely, and save it again"});
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace steelyard
