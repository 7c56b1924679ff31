// Long calls: other Python threads run, progress is told, and Ctrl-C ends them.
#pragma once

#include <functional>
#include <string>

#include <pybind11/pybind11.h>

#include "steelyard/identify/run.hpp"

namespace python {

using Progress = std::function<void(const std::string&, double)>;

inline steelyard::StudyOptions options_of(int threads, const Progress& progress) {
  steelyard::StudyOptions options;
  options.threads = threads;
  options.progress = [progress](const std::string& stage, double share) {
    const pybind11::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    if (progress) progress(stage, share);
  };
  return options;
}

// `work(study, options)` with other Python threads running.
template <typename Work>
auto call(const steelyard::Study& study, int threads, const Progress& progress, const Work& work) {
  const steelyard::StudyOptions options = options_of(threads, progress);
  const pybind11::gil_scoped_release other_threads;
  return work(study, options);
}

}  // namespace python
