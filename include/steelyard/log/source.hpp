// Samples one after the other, in any number of passes: files, runs in memory, and conversions of other
// sources.
//
// Every pass gives the same bytes, regardless of the requested block sizes. Time stamps increase
// strictly.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual const std::string& name() const = 0;  // file or label, for messages
  virtual const std::vector<std::string>& channels() const = 0;
  virtual Index joints() const = 0;

  // Begins a new pass; a new source stands at its beginning.
  virtual void rewind() = 0;

  // Fills the block with the next samples, at most `samples` of them; block.size() is 0 at the end.
  virtual void read(Index samples, SampleBlock& block) = 0;
};

// A file: CSV is streamed; MATLAB (.mat), HDF5 (.h5, .hdf5), NumPy (.npy, .npz) and ROS 2 bags (.db3, .mcap)
// by the ending of the name, read whole when opened, at most 2 GiB. Throws InputError for files that
// cannot be read and columns that they lack; read() (of files read whole already open_run) also for time stamps that go back or
// stand still, and for files with fewer than two rows. Throws MachineError for formats this library was built
// without.
//
// MATLAB and HDF5 are read by a child process (fork), so that a damaged file cannot bring down the host: a
// crash there is an InputError here, a reader that does not end is killed. The child touches nothing of the
// host; it does not work reliably while another thread of the host is itself inside libhdf5 or matio.
std::unique_ptr<SampleSource> open_run(const RunFile& file, const std::vector<LogJoint>& joints);

// A run in memory, which must outlive the source; or is kept by it.
std::unique_ptr<SampleSource> view_run(const Run& run);
std::unique_ptr<SampleSource> view_run(std::shared_ptr<const Run> run);

// The source with its motor channels turned to the joint side.
std::unique_ptr<SampleSource> on_joint_side(std::unique_ptr<SampleSource> source,
                                            const Transmission& transmission);

// All samples from the beginning; for short runs and tests.
SampleBlock read_all(SampleSource& source);

// A whole file.
Run read_run(const RunFile& file, const std::vector<LogJoint>& joints);

}  // namespace steelyard
