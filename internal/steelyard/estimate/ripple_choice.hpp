// Which orders of ripple a joint has: the spectrum of its rows over the position.
//
// A joint's rows are folded with a dictionary: of every order four columns, "stem.sin", "stem.cos" and with the sign of the
// velocity "stem.dry_sin", "stem.dry_cos". All other columns are free, so that nothing that bodies or friction explain counts
// as ripple; the rows of all joints are fitted together, since one joint alone says little of the bodies that it moves. Order by order the pair is taken that leaves least of held-out groups of blocks, as long as it
// lowers their errors as a factor, by more than three standard errors (the best of a hundred pairs is easily at two) and by
// a twentieth.
#pragma once

#include <string>
#include <vector>

#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct RippleOrders {  // of a row
  std::vector<std::string> stems;
};

struct RippleChoice {
  std::size_t stem = 0;
  bool dry = false;
};

// `all`: of every row that has a dictionary.
std::vector<RippleChoice> choose_ripple(const RippleOrders& orders, const std::vector<RippleOrders>& all,
                                        const std::vector<std::vector<FoldBlock>>& runs,
                                        const BlockGroups& groups, const EstimateOptions& options = {});

// By how much a term must lower the errors of held-out groups: in standard errors, and the mean of the logarithm of the
// squares.
struct TermRule {
  double errors = 3;
  double worthwhile = 0.1;
  std::size_t most = 6;  // terms
};

// Of terms of a row, each some of its columns: one by one the term that leaves least of held-out groups. Other columns
// are free but those of `dictionary`, what is tried in any row. Numbers of the terms. `worthwhile` counts a row's share of
// all rows.
std::vector<std::size_t> choose_terms(const std::vector<std::vector<std::string>>& terms,
                                      const std::vector<std::string>& dictionary, const TermRule& rule,
                                      const std::vector<std::vector<FoldBlock>>& runs,
                                      const BlockGroups& groups, const EstimateOptions& options = {});

// The pairs "stem.sin", "stem.cos" (stems may end in ".dry_") of all joints together, on all rows: those without which
// held-out groups would not be worse are left out, the least useful first. True: it stays.
std::vector<bool> useful_ripples(const std::vector<std::string>& stems,
                                 const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                                 const EstimateOptions& options = {});

}  // namespace steelyard
