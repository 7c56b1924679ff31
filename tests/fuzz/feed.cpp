#include "feed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>

#include "steelyard/core/error.hpp"

namespace fuzz {
namespace {

[[noreturn]] void end(const std::string& text) {
  std::fprintf(stderr, "broken promise: %s\n", text.c_str());
  std::abort();
}

// The files of this process, gone with it.
class Folder {
 public:
  Folder() {
    const std::filesystem::path memory = "/dev/shm";
    path_ = (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) /
            ("steelyard-fuzz-" + std::to_string(getpid()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* ending) const { return path_ / (std::string(kName) + ending); }

 private:
  std::filesystem::path path_;
};

}  // namespace

void promise(bool holds, const char* text) {
  if (!holds) end(text);
}

bool accepts(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const steelyard::InputError& error) {
    const steelyard::Complaint& complaint = error.complaint();
    if (complaint.what.empty()) end("an InputError says nothing");
    if (complaint.place.to_string().empty()) end(std::string("no place: ") + error.what());
    if (complaint.limit.empty() && complaint.remedy.empty())
      end(std::string("neither limit nor remedy: ") + error.what());
  } catch (const std::exception& error) {
    end(std::string("another exception than InputError: ") + error.what());
  }
  return false;
}

std::string as_file(std::string_view bytes, const char* ending) {
  static const Folder folder;
  std::string path = folder.file(ending);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (!written || ::close(file) != 0) end("the input cannot be written");
  return path;
}

}  // namespace fuzz
