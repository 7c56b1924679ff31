// Parts of a trial: the log divided into sections, their folds by set-up, and the fit of a set-up.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "steelyard/doctor/trial.hpp"

namespace steelyard::doctor {

inline constexpr int kTrialBlocks = 8;  // sections that are held out in turn

// The kinematic samples of one block, mapped by a set-up.
struct MappedBlock {
  Eigen::MatrixXd q, qd, qdd;
};

// The rows of a joint at which its sign is certain: not within `smear` seconds of a reversal, not at rest.
using Masks = std::vector<std::vector<std::uint8_t>>;
Masks moving(const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd, double smear);
// A joint feels the friction of every drive that is coupled to it: its rows near their reversals are left out as well. Velocities
// are those of the log as it is given.
void leave_out_coupled(const Transmission& transmission, const Eigen::MatrixXd& qd,
                       const Eigen::MatrixXd& qdd, double smear, Masks& masks);

// The study's own columns of a model, and its known efforts, at some samples of a run.
struct ExtraSamples {
  std::vector<ExtraColumn> columns;  // `row` is the number of a joint
  Eigen::MatrixXd values;            // samples × columns
  Eigen::MatrixXd known;             // samples × joints; empty: nothing
};
// Positions of the samples [begin, begin + q.rows()) as a set-up maps them. Throws InputError for values that
// are not finite.
ExtraSamples extra_samples(const CoarseRun& run, Index begin, const MappedBlock& mapped,
                           const std::vector<ExtraColumns>& terms = {});

// Names of all extra columns, each once.
std::vector<std::string> extra_names(const std::vector<CoarseRun>& runs);

// YᵀY, Yᵀτ and the efforts' own products of one row and section.
struct RowGram {
  Eigen::MatrixXd columns, mixed, efforts;
  double rows = 0;  // none: the matrices are empty
  void add(const RowGram& other);
};

// How efforts follow from the logged ones, and residuals of the logged ones from those of rows: τ = E τ_log, e_log = E⁻¹ e.
struct Efforts {
  std::vector<Eigen::VectorXd> mix;  // by row
  std::vector<Index> joints;         // of the rows
  Eigen::MatrixXd back;              // squares of E⁻¹, in the order of the rows
};

}  // namespace steelyard::doctor

namespace steelyard::inline STEELYARD_ABI {

struct Trial::Folded {
  std::vector<std::vector<doctor::RowGram>> grams;  // [section][row]; empty: only their sum is known
  std::vector<doctor::RowGram> sum;                 // [row]
  std::vector<std::vector<int>> columns;            // of each row
  Eigen::MatrixXd signs;                            // A of the inequalities
  Index parameters = 0;
  std::vector<int> daily;  // columns of friction, offsets and terms: they may differ from run to run
};

class Trial::Impl {
 public:
  Impl(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options);

  // The columns of a robot: those of its rows, and those of the diagonal of M(q).
  struct Columns {
    Plan rows, inertia;
    std::vector<Index> place;  // of the columns of `inertia` among those of `rows`
    static Columns of(const Robot& robot, const std::vector<std::string>& wanted);
  };
  // `is_sum`: of these sections together.
  std::shared_ptr<const Folded> fold(const SetUp& set_up, const Columns& columns, Sections of,
                                     bool is_sum) const;
  std::shared_ptr<const Folded> fold(const SetUp& set_up, const Robot* other, Sections of, bool is_sum) const;
  TrialFit fit(const Folded& folded, const SetUp& set_up) const;
  TrialFit predict(const Folded& folded, const SetUp& set_up, const VectorXd& values,
                   const VectorXd& floors) const;
  Eigen::VectorXd floors(double noise_factor) const;

  Robot robot_;
  std::vector<CoarseRun> runs_;
  Columns columns_;
  TrialOptions options_;
  std::shared_ptr<const Folded> given_;
  VectorXd efforts_;                // rms of the logged efforts
  std::vector<std::string> extra_;  // names, after the plan's columns
  bool has_known_ = false;          // a further effort of every row: its known part

 private:
  struct Stretch {
    std::size_t run;
    Index begin, end;
    int block;
  };
  doctor::MappedBlock mapped(const Stretch& stretch, const SetUp& set_up) const;
  Eigen::MatrixXd sign_rows(const SetUp& set_up, const Columns& columns) const;

  std::vector<Stretch> stretches_;
  doctor::Efforts efforts_of(const SetUp& set_up) const;
  std::vector<bool> moved() const;
  Eigen::VectorXd floors_;    // relative to efforts_
  Eigen::VectorXd residual_;  // rms of the set-up as given
};

}  // namespace steelyard
