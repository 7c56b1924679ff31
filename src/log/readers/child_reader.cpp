#include "child_reader.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace steelyard {
inline namespace STEELYARD_ABI {
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

void send_bytes(int socket, const void* bytes, std::size_t count) {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(socket, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(0);  // nobody listens any more
    next += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

void send_answer(int socket, Answer kind, const void* bytes, std::size_t count) {
  std::string head(1, static_cast<char>(kind));
  put_number(head, count);
  send_bytes(socket, head.data(), head.size());
  send_bytes(socket, bytes, count);
}

[[noreturn]] void send_error(int socket, Answer kind, const Complaint& complaint) {
  std::string bytes;
  put_text(bytes, complaint.what);
  put_text(bytes, complaint.limit);
  put_text(bytes, complaint.remedy);
  send_answer(socket, kind, bytes.data(), bytes.size());
  ::_exit(0);
}

std::uint64_t next_request(int socket) {
  std::uint64_t request = 0;
  ssize_t got = -1;
  do {
    got = ::recv(socket, &request, sizeof request, MSG_WAITALL);
  } while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof request)) ::_exit(0);
  return request;
}

void send_contents(int socket, const ArrayFile& file) {
  std::string bytes(1, file.last_index_is_fastest() ? 1 : 0);
  put_number(bytes, file.arrays().size());
  for (const ArrayInfo& array : file.arrays()) {
    put_text(bytes, array.name);
    put_text(bytes, array.type);
    bytes += array.numeric ? '\1' : '\0';
    put_number(bytes, array.sizes.size());
    for (const std::uint64_t size : array.sizes) put_number(bytes, size);
  }
  send_answer(socket, Answer::contents, bytes.data(), bytes.size());
}

void serve(const OpenArrayFile& open, const std::string& path, int socket) {
  const std::unique_ptr<ArrayFile> file = open(path);
  send_contents(socket, *file);
  std::vector<double> values;
  for (;;) {
    const std::uint64_t array = next_request(socket);
    if (array >= file->arrays().size()) ::_exit(0);
    values.resize(static_cast<std::size_t>(file->arrays()[static_cast<std::size_t>(array)].count()));
    file->read(static_cast<std::size_t>(array), values.data());
    send_answer(socket, Answer::numbers, values.data(), values.size() * sizeof(double));
  }
}

// Sanitizers reserve far more than any limit.
void limit_memory(std::uint64_t allowed) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  unsigned long long pages = 0;
  if (std::FILE* self = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(self, "%llu", &pages) != 1) pages = 0;
    std::fclose(self);
  }
  if (pages == 0) return;
  const rlim_t most = pages * static_cast<unsigned long long>(::sysconf(_SC_PAGESIZE)) + allowed;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) return;
  limit.rlim_cur = most;
  ::setrlimit(RLIMIT_AS, &limit);
#else
  (void)allowed;
#endif
}

void leave_host(int socket, const IsolationLimits& limits) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS})
    std::signal(crash, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; standard <= 2 && nothing >= 0; ++standard) {
    if (standard != socket) ::dup2(nothing, standard);
  }
#ifdef __linux__
  const unsigned kept = static_cast<unsigned>(socket);
  if (kept > 3) ::close_range(3, kept - 1, 0);
  ::close_range(kept < 3 ? 3 : kept + 1, ~0U, 0);
#endif
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  limit_memory(limits.memory);
}

}  // namespace

void serve_array_file(const OpenArrayFile& open, const std::string& path, int socket,
                      const IsolationLimits& limits) {
  try {
    leave_host(socket, limits);
    serve(open, path, socket);
  } catch (const InputError& error) {
    send_error(socket, Answer::input_error, error.complaint());
  } catch (const MachineError& error) {
    send_error(socket, Answer::machine_error, error.complaint());
  } catch (const std::bad_alloc&) {
    send_error(socket, Answer::input_error,
               {"the file is damaged: reading it needs more memory than a valid file could",
                {},
                {},
                "check that it was written completely, and save it again"});
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
