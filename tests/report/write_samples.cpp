// Writes reports for the browser test: write_samples FOLDER
#include <fstream>
#include <iostream>

#include "report/sample_report.hpp"

int main(int count, char** arguments) {
  using namespace steelyard;
  if (count != 2) {
    std::cerr << "usage: write_samples FOLDER\n";
    return 2;
  }
  const std::string folder = arguments[1];
  Result result = sample_result();
  std::vector<EffortCurve> curves = sample_curves();
  ReportOptions options{"steelyard run examples/panda-identify/study.yaml --seed 1"};
  const auto write = [&](const std::string& name) {
    std::ofstream file(folder + "/" + name, std::ios::binary);
    file << render_report(result, curves, options);
    return file.good();
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
  done = write("hostile.html") && done;
  return done ? 0 : 1;
}
