// What fuzzing feeds to the readers, one function a format.
//
// Promise of a reader, checked here for every input: it returns, or throws an InputError with what is wrong
// and where. Everything else ends the process: our own bug (InternalError), a system failure (the file
// is there and can be read), exceptions of the libraries below, and complaints without text or without the
// file's name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fuzz {

void feed_csv(std::string_view bytes);
void feed_db3(std::string_view bytes);
void feed_expression(std::string_view bytes);
void feed_fold(std::string_view bytes);
void feed_mat(std::string_view bytes);
void feed_mcap(std::string_view bytes);
void feed_mjcf(std::string_view bytes);
void feed_npy(std::string_view bytes);
void feed_npz(std::string_view bytes);
void feed_result(std::string_view bytes);
void feed_robot(std::string_view bytes);
void feed_study(std::string_view bytes);
void feed_urdf(std::string_view bytes);

struct Target {
  const char* name;
  void (*feed)(std::string_view bytes);
};

inline constexpr Target kTargets[] = {
    {"csv", feed_csv},       {"db3", feed_db3},     {"expression", feed_expression},
    {"fold", feed_fold},     {"mat", feed_mat},     {"mcap", feed_mcap},
    {"mjcf", feed_mjcf},     {"npy", feed_npy},     {"npz", feed_npz},
    {"result", feed_result}, {"robot", feed_robot}, {"study", feed_study},
    {"urdf", feed_urdf},
};

// The name under which inputs are given to readers.
inline constexpr const char* kName = "input";

// Runs the reader and keeps its promise for it; says whether the input was accepted.
bool accepts(const std::function<void()>& read);

// Ends the process with the text when what was promised does not hold.
void promise(bool holds, const char* text);

// The bytes as a file in memory with this ending, one a process, overwritten by the next call.
std::string as_file(std::string_view bytes, const char* ending);

}  // namespace fuzz
