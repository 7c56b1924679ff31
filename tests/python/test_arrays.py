"""Models from arrays without files: the same numbers as from files, forms of friction in predictions, pages for notebooks."""
import contextlib
import io
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import numpy as np
import steelyard

SOURCE = pathlib.Path(os.environ["STEELYARD_SOURCE"])
PROGRAM = os.environ["STEELYARD_PROGRAM"]
ROBOT = SOURCE / "robots/two_r.yaml"
MOTION = {"multi_sine": {"harmonics": 4, "period": 10, "center": [0, 0], "reach": 1.5, "seed": 3}}
PREPARE = {"filter": {"order": 4, "cutoff": 8}, "columns": "filtered"}
QUICK = {"intervals": {"method": "classical", "bias_check": False}}

# A gripper: the second finger follows the first.
MIMIC = """<robot name="<&amp;>"><link name="base"/><link name="left"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="right"><inertial><mass value="2"/>
<origin xyz="0 0.2 0"/><inertia ixx="0.03" iyy="0.01" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="base"/><child link="left"/><axis xyz="0 1 0"/><limit lower="-2" upper="2"
effort="9" velocity="9"/></joint><joint name="b" type="revolute"><parent link="base"/><child link="right"/><axis xyz="1 0 0"/>
<limit lower="-2" upper="2" effort="9" velocity="9"/><mimic joint="a" multiplier="-0.5" offset="0.1"/></joint></robot>
""".replace("<&amp;>", "&lt;b&gt;gripper")


def simulated(seed=3, noise=0.05, **simulate):
    motion = {"multi_sine": {**MOTION["multi_sine"], "seed": seed}}
    return {"robot": str(ROBOT), "runs": [{"label": "made", "simulate": {
        "rate": 100, "effort_noise": noise, "motion": motion, **simulate}}]}


def log_of(seed=3, **simulate):
    log = steelyard.study(simulated(seed, **simulate)).log()
    return log["time"], log["position"], log["torque"], log["velocity"]


def numbers(result):
    """All but where the robot and the samples came from."""
    return {key: value for key, value in result.data.items() if key != "provenance"} | {
        "robot": {key: value for key, value in result.data["robot"].items() if key != "hash"}}


class Column:
    """What pandas gives: no array, but something that turns into one."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class Robots(unittest.TestCase):
    def test_coordinates_are_counted_as_the_program_does(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gripper.urdf")
            path.write_text(MIMIC)
            program = json.loads(subprocess.run([PROGRAM, "model", path, "--json"], check=True, capture_output=True).stdout)
            robot = steelyard.Robot.from_urdf(path)
            with self.assertRaises(steelyard.InputError):
                steelyard.Robot.from_urdf(pathlib.Path(folder, "other.urdf"))
        self.assertEqual(robot.dof, program["dof"])
        self.assertEqual((robot.dof, robot.joints, len(robot.parameters)), (1, ["a"], 20))
        self.assertEqual(steelyard.Robot.from_urdf(MIMIC).parameters.tobytes(), robot.parameters.tobytes())
        q, qd, qdd = np.random.default_rng(3).normal(size=(3, 20, 1))
        tau = robot.efforts(q, qd, qdd)
        Y = steelyard.Plan(robot, drives=False).regressor(q, qd, qdd)
        np.testing.assert_allclose(Y @ robot.parameters, tau, rtol=0, atol=1e-12 * abs(tau).max())
        np.testing.assert_allclose(robot.accelerations(q, qd, tau), qdd, rtol=0, atol=1e-9)
        M = robot.mass_matrix(q[0])
        self.assertEqual(M.shape, (1, 1))
        self.assertAlmostEqual((M @ qdd[0])[0], (tau - robot.efforts(q, qd, 0 * qdd))[0, 0], delta=1e-12)


class Identify(unittest.TestCase):
    def test_arrays_give_the_numbers_of_the_study(self):
        source = {**simulated(), "prepare": PREPARE, "estimate": QUICK, "drives": {"friction": ["viscous"]}}
        log = steelyard.study(source).log()
        in_arrays = {**source, "robot": steelyard.read_robot(ROBOT), "runs": [{"label": "made", "arrays": log}]}
        self.assertEqual(numbers(steelyard.run(in_arrays)), numbers(steelyard.run(source)))

    def test_the_log_of_a_panda_by_program_and_arrays_to_the_last_bit(self):
        data = os.environ.get("STEELYARD_DATA")
        if not data or not pathlib.Path(data, "franka_panda_gaz2019").is_dir():
            self.skipTest("no STEELYARD_DATA")
        source = {"robot": str(SOURCE / "robots/panda.yaml"), "drives": {"friction": ["viscous", "coulomb", "offset"]},
                  "runs": [{"file": data + "/franka_panda_gaz2019/panda_excitation_traj1.csv", "label": "excitation",
                            "columns": {"time": "t_s", "position": "q{j}_rad", "velocity": "dq{j}_radps", "torque": "tau{j}_Nm"}}],
                  "prepare": {"filter": {"order": 4, "cutoff": 5}, "columns": "filtered"},
                  "estimate": {"method": "wls", **QUICK}, "validate": {"cross": {"blocks": 10}}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "study.yaml")
            path.write_text(json.dumps(source))
            subprocess.run([PROGRAM, "identify", path, "--out", folder + "/out", "--quiet"], check=True)
            by_program = steelyard.Result.read(folder + "/out/result.json")
        log = steelyard.study(source).log()
        by_arrays = steelyard.identify(source["robot"], log["time"], log["position"], log["torque"], log["velocity"], cutoff=5,
                                       friction=source["drives"]["friction"], feasible=False, cross={"blocks": 10},
                                       estimate=source["estimate"], prepare={"effort_delay": 0})
        self.assertEqual(by_arrays.base, by_program.base)
        self.assertEqual(by_arrays.residual, by_program.residual)
        self.assertEqual(by_arrays.cross_validation, by_program.cross_validation)

    def test_several_runs_columns_of_frames_and_a_fresh_run(self):
        monday, tuesday, fresh = log_of(3), log_of(4), log_of(5)
        runs = [[Column(run[k]) for run in (monday, tuesday)] for k in range(4)]
        result = steelyard.identify(ROBOT, *runs, cutoff=8, friction=["viscous", "coulomb", "offset"], validate=[fresh],
                                    estimate=QUICK)
        self.assertEqual([run["run"] for run in result.validation], ["run 1", "run 2", "validation 1"])
        self.assertTrue(result.validation[2]["fresh"])
        self.assertLess(result.validation[2]["residual"]["prepared"], 0.02)
        self.assertEqual(len(result.links), 2)
        self.assertEqual(result.data["provenance"]["inputs"][1]["path"], "in memory: run 1")
        self.assertEqual(steelyard.Result(result.text).links, result.links)
        self.assertEqual(pickle.loads(pickle.dumps(result)).text, result.text)

    def test_sections_are_completed(self):
        t, q, tau, qd = log_of()
        result = steelyard.identify(ROBOT, t, q, tau, cutoff=8, friction=None, feasible=False, cross=None, seed=7,
                                    prepare={"differences": 4}, estimate={**QUICK, "method": "wls"})
        options = json.loads(json.dumps(result.data["provenance"]["options"]))
        self.assertEqual(options["prepare"]["differences"], 4)
        self.assertEqual(options["prepare"]["filter"]["cutoff"], 8)
        self.assertEqual(options["seed"], 7)
        self.assertNotIn("cross_validation", result.data)
        self.assertEqual(result.links, [])

    def test_currents_beside_gains(self):
        t, q, tau, qd = log_of(noise=0.001)
        result = steelyard.identify(ROBOT, t, q, tau / [2, 3], qd, cutoff=8, friction=None, feasible=False,
                                    gains={"known": [2, 3]}, estimate=QUICK)
        plain = steelyard.identify(ROBOT, t, q, tau, qd, cutoff=8, friction=None, feasible=False, estimate=QUICK)
        for name, value in plain.values().items():
            self.assertAlmostEqual(result.values()[name], value, delta=1e-6 * (1 + abs(value)))

    def test_mistakes_are_named(self):
        t, q, tau, qd = log_of()

        def expect(words, *arrays, **keys):
            with self.assertRaises(steelyard.InputError) as caught:
                steelyard.identify(ROBOT, *arrays, cutoff=8, friction=None, feasible=False, **keys)
            for word in words:
                self.assertIn(word, str(caught.exception))

        expect(["position", "(1000, 1)", "(rows, 2)"], t[:1000], q[:1000, :1], tau[:1000])
        expect(["torque has 9 samples", "time has"], t, q, tau[:9])
        expect(["time", "datetime64", "timedelta64"], np.arange(len(t)).astype("datetime64[s]"), q, tau)
        expect(["position", "int64", "astype(float)"], t, q.astype(int), tau)
        broken = tau.copy()
        broken[7, 1] = np.nan
        expect(["run 1", "sample 8", "joint 2"], t, q, broken)
        expect(["q is a list of 2 runs", "velocity"], [t, t], [q, q], [tau, tau], qd)
        expect(["validation 1", "2 arrays", "(t, q, effort)"], t, q, tau, validate=[(t, q)])
        expect(["wrng"], t, q, tau, wrng=1)
        with self.assertRaises(steelyard.InputError) as caught:
            steelyard.study({"robot": str(ROBOT), "runs": [{"file": "log.csv", "arrays": {"time": t}}]})
        self.assertIn("beside `file`", str(caught.exception))


class Predictions(unittest.TestCase):
    def left(self, result, seed=3, **simulate):
        """Share of a noiseless effort that the model leaves, without the ends where accelerations are differences."""
        t, q, tau, qd = log_of(seed, noise=0, **simulate)
        qdd = np.gradient(qd, t, axis=0)
        return [np.sqrt(((tau - result.predict(q, qd, qdd, feasible=feasible))[50:-50] ** 2).mean() / (tau ** 2).mean())
                for feasible in (False, True)]

    def test_forms_of_friction_ripple_columns_and_known_efforts(self):
        drives = {"sigmoid": ({"viscous": 0.5, "sigmoid_height": 8, "sigmoid_slope": 8}, "sigmoid"),
                  "stribeck": ({"viscous": 0.5, "coulomb": 3, "stribeck": 4, "stribeck_velocity": 0.1}, "stribeck"),
                  "asymmetric": ({"viscous": 0.5, "coulomb_positive": 4, "coulomb_negative": 2}, "asymmetric"),
                  "load": ({"viscous": 0.5, "load_driving": 0.2, "load_driven": 0.2}, "load"),
                  "linear": ({"viscous": 2, "coulomb": 6, "offset": 3}, ["viscous", "coulomb", "offset"])}
        for name, (friction, form) in drives.items():
            # Without its friction the model leaves more than ten times as much.
            run = {**simulated(noise=0.01, friction=friction), "prepare": PREPARE, "drives": {"friction": form}, "feasible": {},
                   "estimate": QUICK}
            base, links = self.left(steelyard.run(run), friction=friction)
            self.assertLess(base, 0.01, name)
            self.assertLess(links, 0.01, name)
        ripple = {"ripple": 3, "ripple_order": 10}
        run = {**simulated(noise=0.01, friction=ripple), "prepare": {"filter": {"order": 4, "cutoff": 20}, "columns": "filtered"},
               "drives": {"ripple": [10]}, "feasible": {}, "estimate": QUICK}
        self.assertLess(max(self.left(steelyard.run(run), friction=ripple)), 0.01)
        known = {"offset": [0, 2]}
        run = {**simulated(noise=0.01, friction=known), "prepare": PREPARE,
               "columns": [{"name": "spring", "joint": "joint1", "expression": "sin(q)"}], "known": [{"joint": "joint2", "expression": "2"}], "feasible": {}, "estimate": QUICK}
        result = steelyard.run(run)
        self.assertLess(max(self.left(result, friction=known)), 0.01)
        self.assertEqual(result.predict(np.zeros((1, 2))).shape, (1, 2))

    def test_what_it_cannot_predict_is_refused_by_name(self):
        run = {**simulated(noise=0.01), "prepare": PREPARE, "columns": [{"name": "spring", "joint": "joint1", "expression": "sin(q)"}],
               "estimate": QUICK}
        result = steelyard.run(run)
        for study, words in ((None, "Result.read(path, study)"), ({"robot": str(ROBOT)}, "the column 'spring'"),
                             ({"robot": str(SOURCE / "robots/panda.yaml")}, "not one of this robot")):
            with tempfile.TemporaryDirectory() as folder:
                result.save(folder + "/result.json")
                again = steelyard.Result.read(folder + "/result.json", study)
            with self.assertRaises(steelyard.InputError) as caught:
                again.predict(np.zeros((3, 2 if study is None else again.robot.dof)))
            self.assertIn(words, str(caught.exception))
        with self.assertRaises(steelyard.InputError) as caught:
            result.predict(np.zeros((3, 2)), feasible=True)
        self.assertIn("no feasible links", str(caught.exception))


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        robot = steelyard.Robot.from_urdf(MIMIC)
        rng, t = np.random.default_rng(1), np.arange(0, 20, 0.01)
        phase = 2 * np.pi * t[:, None] / 10
        q, qd, qdd = np.sin(phase), 2 * np.pi / 10 * np.cos(phase), -(2 * np.pi / 10) ** 2 * np.sin(phase)
        cls.result = steelyard.identify(robot, t, q[:, 0], robot.efforts(q, qd, qdd) + 0.001 * rng.normal(size=q.shape), cutoff=5,
                                        friction=None, cross=None, estimate=QUICK)

    def test_notebooks_show_verdict_and_residuals_and_escape_names(self):
        page = self.result._repr_html_()
        self.assertIn("&lt;b&gt;gripper", page)
        self.assertNotIn("<b>gripper", page)
        self.assertIn("<th>unexplained %</th>", page)
        self.assertIn("<td>a</td>", page)

    def test_reports(self):
        with tempfile.TemporaryDirectory() as folder:
            page = self.result.report(folder + "/report.html")
            self.assertEqual(pathlib.Path(folder, "report.html").read_text(), page.html)
        self.assertTrue(page.html.startswith("<!doctype html>") or page.html.startswith("<!DOCTYPE html>"), page.html[:40])
        shown = page._repr_html_()
        self.assertTrue(shown.startswith("<iframe srcdoc=\"&lt;!"))
        self.assertEqual(shown.count("<"), 2)  # all of the page is inside an attribute
        without_curves = steelyard.Result(self.result.text).report().html
        self.assertLess(len(without_curves), len(page.html))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "gripper.urdf")
            path.write_text(MIMIC)
            urdf = self.result.to_urdf(path, folder + "/new.urdf")
            self.assertEqual(pathlib.Path(folder, "new.urdf").read_text(), urdf)
        self.assertNotEqual(urdf, MIMIC)
        found = steelyard.Robot.from_urdf(urdf)
        self.assertAlmostEqual(found.parameters[0], self.result.links[0]["mass"], delta=1e-9)
        with self.assertRaises(steelyard.InputError) as caught:
            self.result.to_urdf()
        self.assertIn("to_urdf('arm.urdf')", str(caught.exception))
        self.assertEqual(set(self.result.export("c", "gripper")), {"gripper.h", "gripper.c"})

    def test_progress_is_a_line_and_interrupts_end_a_call(self):
        with contextlib.redirect_stderr(io.StringIO()) as told:
            steelyard.run(str(SOURCE / "examples/demo/study.yaml"), progress=True)
        self.assertIn(" %", told.getvalue())
        self.assertTrue(told.getvalue().endswith("\r"))

        def interrupt(stage, share):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            steelyard.run(simulated(), threads=2, progress=interrupt)


class Verbs(unittest.TestCase):
    def test_signs_are_those_of_the_program(self):
        path = str(SOURCE / "examples/kr5-signs/study.yaml")
        program = json.loads(subprocess.run([PROGRAM, "signs", path, "--json"], check=True, capture_output=True).stdout)
        found = steelyard.signs(path)
        self.assertEqual(found, program)

    def test_gains_and_reverse(self):
        path = str(SOURCE / "examples/tx40-gains/study.yaml")
        program = json.loads(subprocess.run([PROGRAM, "gains", path, "--load", "2", "--json"], check=True,
                                            capture_output=True).stdout)
        self.assertEqual(steelyard.gains(path, [2.0]), program)
        result = steelyard.reverse(SOURCE / "examples/lwr-reverse/study.yaml")
        self.assertEqual(result.verdict["level"], "good")
        with self.assertRaises(steelyard.InputError) as caught:
            steelyard.reverse(simulated())
        self.assertIn("reverse: {source: …}", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
