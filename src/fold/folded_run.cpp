#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/log/low_pass.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

FilterOptions used(const std::optional<LowPass>& filter) {
  return filter ? FilterOptions{filter->order, filter->cutoff} : FilterOptions{};
}

// Without the columns that belong to one run.
Layout shared_part(const Layout& layout) {
  Layout shared = layout;
  std::erase_if(shared.columns,
                [](const std::string& column) { return column.find('@') != std::string::npos; });
  return shared;
}

std::vector<FoldBlock> joined_pairs(std::vector<FoldBlock> blocks) {
  std::vector<FoldBlock> half;
  for (std::size_t b = 0; b < blocks.size(); b += 2) {
    half.push_back(std::move(blocks[b]));
    if (b + 1 < blocks.size()) half.back() = join(std::move(half.back()), std::move(blocks[b + 1]));
    for (std::vector<Fold>* folds : {&half.back().core, &half.back().gap})
      for (Fold& fold : *folds) fold.set_block(static_cast<Index>(b / 2));
  }
  return half;
}

// "fo2@old" becomes "fo2@new", here and in columns made of it ("iv:fo2@old").
void rename_columns(std::vector<FoldBlock>& blocks, const std::string& old_label, const std::string& label) {
  const std::string ending = "@" + old_label;
  std::vector<std::shared_ptr<const Layout>> layouts;  // of the rows, shared by the blocks
  const auto rename = [&](Fold& fold, std::size_t row) {
    if (row == layouts.size()) {
      Layout layout = fold.layout();
      for (std::string& column : layout.columns)
        if (column.ends_with(ending))
          column.replace(column.size() - ending.size(), ending.size(), "@" + label);
      layouts.push_back(std::make_shared<const Layout>(std::move(layout)));
    }
    fold = fold_of_triangle(layouts[row], fold.R(), fold.rows(), fold.block());
  };
  for (FoldBlock& block : blocks)
    for (std::vector<Fold>* folds : {&block.core, &block.gap})
      for (std::size_t r = 0; r < folds->size(); ++r) rename((*folds)[r], r);
}

// Those of "a;b;" that "b;c;" does not have.
std::string items_beyond(const std::string& list, const std::string& other) {
  std::string beyond;
  for (std::size_t begin = 0, end; (end = list.find(';', begin)) != std::string::npos; begin = end + 1) {
    const std::string item = list.substr(begin, end - begin);
    if ((";" + other).find(";" + item + ";") != std::string::npos) continue;
    beyond += (beyond.empty() ? "'" : ", '") + item + "'";
  }
  return beyond;
}

bool has_own_columns(const FoldedRun& run) {
  return std::any_of(run.blocks.front().core.begin(), run.blocks.front().core.end(), [&](const Fold& fold) {
    const std::vector<std::string>& names = fold.layout().columns;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return name.ends_with("@" + run.label); });
  });
}

}  // namespace

bool is_examined(const FoldedRun& run) {
  return run.findings && std::none_of(run.findings->begin(), run.findings->end(),
                                      [](const Finding& finding) { return is(finding, "not-examined"); });
}

void relabel(FoldedRun& run, const std::string& label) {
  if (has_own_columns(run)) {
    rename_columns(run.blocks, run.label, label);
    rename_columns(run.instruments.blocks, run.label, label);
  }
  if (run.findings)
    for (Finding& finding : *run.findings)
      if (finding.joint == run.label) finding.joint = label;
  run.label = label;
}

FoldedRun to_folded_run(const FoldPass& pass, const std::string& label, const Preparation& preparation) {
  FoldedRun run;
  run.label = label;
  run.samples = pass.samples;
  run.step = preparation.grid.step;
  run.filter = used(preparation.filter);
  run.column_filter = used(preparation.column_filter);
  run.decimation = preparation.decimation.factor;
  run.kept_share = pass.kept_share;
  run.slot_samples = pass.slot_samples;
  run.gap = pass.gap;
  run.slots = pass.folds.slots();
  run.slots_per_block = pass.folds.slots_per_block();
  run.blocks = pass.folds.blocks();
  return run;
}

FoldPass to_fold_pass(const FoldedRun& run) {
  FoldPass pass{FoldSet(run.blocks, run.slots, run.slots_per_block),
                run.slot_samples,
                run.gap,
                run.samples,
                {},
                run.kept_share};
  for (const Fold& fold : pass.folds.total()) pass.kept.push_back(fold.rows());
  return pass;
}

std::optional<std::string> first_difference(const FoldedRun& here, const FoldedRun& there) {
  const std::vector<Fold>&a = here.blocks.front().core, &b = there.blocks.front().core;
  if (a.size() != b.size()) return fmt::format("{} rows a sample here and {} there", a.size(), b.size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    const Layout own = shared_part(a[r].layout());
    Layout other = shared_part(b[r].layout());
    const bool alike = own.preparation == other.preparation;
    other.preparation = own.preparation;
    if (const auto difference = first_difference(own, other))
      return fmt::format("row {}: {}", r + 1, *difference);
    if (alike) continue;
    if (here.prepare != there.prepare)
      return fmt::format("the preparation is {} here and {} there", here.prepare, there.prepare);
    return expression_difference(here.columns, there.columns);
  }
  return std::nullopt;
}

std::string expression_difference(const std::optional<std::string>& here,
                                  const std::optional<std::string>& there) {
  const std::string what = "extra columns, known efforts or friction shapes differ";
  if (!here || !there) return what;
  const std::string own = items_beyond(*here, *there), other = items_beyond(*there, *here);
  return fmt::format("{}: {} here and {} there", what, own.empty() ? "none" : own,
                     other.empty() ? "none" : other);
}

void join_blocks(FoldedRun& run, Index max_blocks) {
  if (max_blocks < 1) throw InputError({fmt::format("at most {} blocks", max_blocks), {}, "1 to 128", ""});
  while (static_cast<Index>(run.blocks.size()) > max_blocks) {
    run.blocks = joined_pairs(std::move(run.blocks));
    run.instruments.blocks = joined_pairs(std::move(run.instruments.blocks));
    run.slots_per_block *= 2;
  }
}

}  // namespace steelyard
