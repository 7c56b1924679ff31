// The tables of the drive-gain paper for any study with currents: parameters and gains of every method with what is
// known of the load, the condition of every run, errors of the torques, masses of loads on runs that were not fitted.
//
//   case          methods of the study, each with the loads as given and, where all ten parameters of a load are
//                 given, with its mass alone; ls, wls and tls without the base parameters that are not essential
//   a priori      the gains of `prior` (the manufacturer's), robot and loads by weighted least squares
//   torque error  ‖V g − W χ − W_L χ_L‖ / ‖V g‖ of each joint, on runs that are not fitted (where there are none, on
//                 those that are), with loads that a fitted run carried
//   mass          of every load on a run that is not fitted, with the gains of the case, as if nothing were known of it
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/gains/options.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct GainCase {
  std::string method;  // "wls"; "a priori"
  std::string known;   // of the load: "mass", "ten", "mx and others"
  VectorXd gains;
  std::vector<std::string> gain_names;  // "g1": their names in `values`
  std::vector<std::string> names;  // of the parameters, in order: robot, loads; eliminated ones are absent
  std::map<std::string, double> values;  // gains as well
  std::map<std::string, double> sigma;   // by the published formula; those that are given have none
  std::vector<std::string> eliminated;

  std::string name() const { return method + (known.empty() ? "" : ", " + known); }
};

struct GainTableRun {
  std::string run;
  std::string payload;            // empty: none
  double condition = 0;           // of the base parameters' columns
  MatrixXd errors;                // joints × cases; empty: not tried
  std::vector<double> masses;     // [kg] by case; empty: no load, or a fitted run
  std::optional<double> weighed;  // [kg] as the study gives it
};

struct GainTables {
  std::string robot;
  std::vector<std::string> joints;
  VectorXd a_priori;  // gains; empty: none
  std::vector<GainCase> cases;
  std::vector<GainTableRun> runs;
  std::vector<Complaint> warnings;  // about the robot file
};

// Throws InputError for studies without `gains` or with given ones, and for friction that is not linear.
GainTables gain_tables(const Study& study, const StudyOptions& options = {});
std::string to_json(const GainTables& tables);

}  // namespace steelyard
