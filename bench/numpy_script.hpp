// Runs bench/numpy_identify.py on given samples.
#pragma once

#include <map>
#include <string>

#include "panda_job.hpp"
#include "temporary_folder.hpp"

class NumpyScript {
 public:
  NumpyScript(const PandaJob& job, const GivenSamples& given);

  // Seconds as "vectorised" and "loop" (with loop_samples > 0, scaled to all samples), then the parameters by
  // name; nothing when Python or NumPy is not there.
  std::map<std::string, double> run(int loop_samples) const;

 private:
  TemporaryFolder folder_{"steelyard-numpy"};
};
