// Gains and the cut-off of the rows, where the study gives neither.
//
//   gains at a cut-off → torques → the cut-off that predicts held-out torques best → gains there → …
//
// until the cut-off is the one that the gains were identified at. Gains move slowly with the cut-off, and the choice of
// a cut-off hardly with the gains: two rounds are usual. Two cut-offs that lead to each other are about as good; the
// lower one is taken, as among equal candidates.
#include <fmt/format.h>

#include <algorithm>

#include "identify/gains.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxCutoffRounds = 5;

CutoffChoice choose_with_gains(const Setup& setup, double cutoff) {
  Setup at = with_given_cutoff(setup, cutoff);
  at.gains = std::make_shared<const DriveGains>(gain_values(at));
  return with_cutoff(std::move(at)).cutoff;
}

}  // namespace

Setup with_gains_and_cutoff(Setup setup) {
  double before = first_cutoff(setup);
  int passes = 0, rounds = 0;
  CutoffChoice choice;
  for (bool same = false; !same && rounds < kMaxCutoffRounds; ++rounds) {
    choice = choose_with_gains(setup, before);
    passes += choice.passes + 1;
    same = choice.chosen == before;
    if (!same && rounds + 1 == kMaxCutoffRounds) choice.chosen = std::min(choice.chosen, before);
    before = choice.chosen;
  }
  choice.choice += fmt::format("; gains and cut-off in turn, {} round{}", rounds, rounds == 1 ? "" : "s");
  choice.passes = passes;
  setup = with_given_cutoff(std::move(setup), choice.chosen);
  setup.cutoff = std::move(choice);
  return with_gains(std::move(setup));
}

}  // namespace steelyard
