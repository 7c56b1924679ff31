// Writes reports for the browser test: write_samples FOLDER
#include <fstream>
#include <iostream>

#include "report/sample_report.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/report/report.hpp"

int main(int count, char** arguments) {
  using namespace steelyard;
  if (count != 2) {
    std::cerr << "usage: write_samples FOLDER\n";
    return 2;
  }
  const std::string folder = arguments[1];
  Result result = sample_result();
  std::vector<EffortCurve> curves = sample_curves();
  Scene scene = sample_scene();
  ReportOptions options{"steelyard run examples/panda-identify/study.yaml --seed 1"};
  const auto write = [&](const std::string& name) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << render_plain_report(result, curves, options);
    std::ofstream web(folder + "/web-" + name, std::ios::binary);
    web << render_report(result, curves, options, scene);
    return file.good() && web.good();
  };
  bool done = write("usable.html");
  result.findings[2].waived = false;
  result.verdict = {VerdictLevel::not_trustworthy,
                    {"An error was found and not waived: velocity-scale of panda_joint7."}};
  done = write("bad.html") && done;
  result.verdict = {VerdictLevel::good, {"Fresh run 'figure eight' is predicted to 1.42 % of its effort."}};
  result.findings.clear();
  done = write("good.html") && done;
  type_everywhere(
      "</script><script>document.documentElement.dataset.hacked=1</script>"
      "<img src=x onerror=\"document.documentElement.dataset.hacked=1\">",
      result, curves, options);
  scene.robot->name = scene.robot->joints[0].name = scene.robot->joints[0].link = result.robot_name;
  scene.motions[0].run = result.robot_name;
  done = write("hostile.html") && done;
  const LargeSample large = large_sample();
  std::ofstream(folder + "/web-large.html", std::ios::binary)
      << render_report(large.result, large.curves, {}, large.scene);
  Result geared = sample_result();  // one joint's gear takes of its load, another's magnets pull
  geared.drives[0].friction = FrictionValues{
      "linear", {{"fv", 0.3}, {"fc", 0.3}, {"mu", 0.12}, {"vl", 0}}, {}, "determined", "", "load"};
  for (const auto& [name, value] : {std::pair{"ripple2.10.sin", 0.3}, {"ripple2.10.dry_cos", 0.4}}) {
    BaseValue& wave = geared.base.emplace_back();
    wave.name = wave.expression = name;
    wave.value = value;
    wave.status = "determined";
  }
  std::ofstream(folder + "/web-geared.html", std::ios::binary)
      << render_report(geared, sample_curves(), {}, sample_scene());
  Result other = sample_result();
  other.base[1].value += 9 * *other.base[1].sigma;
  try {
    const std::string page = render_comparison(
        {{"monday", sample_result()}, {"tuesday", other}, {"<script>alert(1)</script>", result}});
    std::ofstream(folder + "/web-compare.html", std::ios::binary) << page;
  } catch (const MachineError&) {
    std::cout << "built without web/: no comparison\n";
  }
  return done ? 0 : 1;
}
