#include <algorithm>
#include <map>

#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Joint number at the end of a machine name ("Jxx3" → 2); −1 for the load.
int link_of(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  return digits == std::string::npos ? -1 : std::stoi(name.substr(digits)) - 1;
}

std::string why_unseen(const Robot& robot, const std::string& name) {
  const int link = link_of(name);
  if (link < 0 || link >= robot.size()) return "no motion makes it act on a joint";
  int turning = 0, sliding = 0;
  for (int j = link; j >= 0; j = robot.joints[j].parent)
    ++(robot.joints[j].kind == JointKind::revolute ? turning : sliding);
  const std::string body = "link " + std::to_string(link + 1);
  if (turning == 0) return body + " only translates: nothing rotates it";
  if (turning == 1 && sliding == 0)
    return body + " only rotates about one fixed axis, which it does not load";
  return "the joints that move " + body + " never make it act";
}

}  // namespace

std::vector<Identifiability> identifiability(const Robot& robot, const BaseParameters& base) {
  std::map<std::string, std::vector<int>> appears;  // base parameters by standard parameter
  for (std::size_t b = 0; b < base.base.size(); ++b)
    for (const BaseTerm& term : base.base[b].terms) appears[term.parameter].push_back(static_cast<int>(b));

  std::vector<Identifiability> result;
  for (const std::string& name : base.columns) {
    Identifiability item;
    item.parameter = name;
    if (std::find(base.unseen.begin(), base.unseen.end(), name) != base.unseen.end()) {
      item.why = why_unseen(robot, name);
    } else if (const std::vector<int>& in = appears[name];
               in.size() == 1 && base.base[in[0]].terms.size() == 1) {
      item.kind = Identifiability::Kind::alone;
      item.why = "is base parameter " + std::to_string(in[0] + 1);
    } else {
      item.kind = Identifiability::Kind::combined;
      item.why = in.size() == 1 ? "only within base parameter" : "only within base parameters";
      for (std::size_t k = 0; k < in.size() && k < 4; ++k)
        item.why += (k ? ", " : " ") + std::to_string(in[k] + 1);
      if (in.size() > 4) item.why += " and " + std::to_string(in.size() - 4) + " more";
    }
    result.push_back(std::move(item));
  }
  return result;
}

}  // namespace steelyard
