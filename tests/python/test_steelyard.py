"""The Python package: identities, clear errors, threads, and the same results as the program's."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import steelyard

SOURCE = pathlib.Path(os.environ["STEELYARD_SOURCE"])
PROGRAM = os.environ["STEELYARD_PROGRAM"]
ROBOTS = SOURCE / "robots"


def motion(robot, samples, order="C"):
    arrays = np.random.default_rng(3).normal(size=(3, samples, robot.dof))
    return [np.array(array, order=order) for array in arrays]


def two_r(noise=0.05, seed=3):
    made = {"multi_sine": {"harmonics": 4, "period": 10, "center": [0, 0], "reach": 1.5, "seed": seed}}
    return {"robot": str(ROBOTS / "two_r.yaml"),
            "runs": [{"label": "made", "simulate": {"rate": 100, "effort_noise": noise, "motion": made}}],
            "prepare": {"filter": {"order": 4, "cutoff": 8}, "columns": "filtered"},
            "estimate": {"intervals": {"method": "classical", "bias_check": False}}}


class Dynamics(unittest.TestCase):
    def test_regressor_times_parameters_is_newton_euler(self):
        for name in ("panda", "kr5", "two_r"):
            robot = steelyard.read_robot(ROBOTS / f"{name}.yaml")
            q, qd, qdd = motion(robot, 50)
            tau = robot.efforts(q, qd, qdd)
            Y = steelyard.Plan(robot, drives=False).regressor(q, qd, qdd)
            self.assertEqual(Y.shape, (50, robot.dof, 10 * robot.dof))
            self.assertLessEqual(abs(Y @ robot.parameters - tau).max(), 1e-11 * abs(tau).max())

    def test_forward_dynamics_undoes_inverse_dynamics(self):
        robot = steelyard.read_robot(ROBOTS / "two_r.yaml")
        q, qd, qdd = motion(robot, 20)
        back = robot.accelerations(q, qd, robot.efforts(q, qd, qdd))
        self.assertLessEqual(abs(back - qdd).max(), 1e-9)
        M = robot.mass_matrix(q[0])
        self.assertLessEqual(abs(M @ qdd[0] + robot.efforts(q[:1], qd[:1], 0 * qdd[:1])[0] - robot.efforts(
            q[:1], qd[:1], qdd[:1])[0]).max(), 1e-10)

    def test_orders_of_memory_give_the_same_bytes(self):
        plan = steelyard.Plan(steelyard.read_robot(ROBOTS / "panda.yaml"))
        robot = steelyard.read_robot(ROBOTS / "panda.yaml")
        rows, columns = [plan.evaluate(*motion(robot, 300, order)) for order in "CF"]
        self.assertEqual(rows.tobytes(), columns.tobytes())
        turned = [array.T.copy().T for array in motion(robot, 300)]
        self.assertEqual(plan.evaluate(*turned).tobytes(), rows.tobytes())

    def test_base_parameters_of_the_panda(self):
        base = steelyard.base_parameters(steelyard.read_robot(ROBOTS / "panda.yaml"))
        self.assertEqual(sum(not name.startswith(("f", "Ia")) for name in (b.lead for b in base.base)), 43)
        self.assertEqual(base.K.shape, (len(base), len(base.columns)))


class Estimates(unittest.TestCase):
    def test_least_squares_of_folds_are_those_of_numpy(self):
        robot = steelyard.read_robot(ROBOTS / "two_r.yaml")
        base = steelyard.base_parameters(robot)
        plan = steelyard.Plan(robot, columns=[b.lead for b in base.base])
        q, qd, qdd = motion(robot, 400)
        tau = robot.efforts(q, qd, qdd) + np.random.default_rng(1).normal(size=(400, 2))
        fit = steelyard.estimate(steelyard.fold_efforts(plan, robot, q, qd, qdd, tau))
        Y = plan.regressor(q, qd, qdd).reshape(800, -1)
        wanted = np.linalg.lstsq(Y, tau.reshape(-1), rcond=None)[0]
        found = np.array([fit.values[name] for name in plan.columns])
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * abs(wanted).max())


class Studies(unittest.TestCase):
    def test_results_are_those_of_the_program_byte_for_byte(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "study.yaml")
            path.write_text(json.dumps(two_r()))
            subprocess.run([PROGRAM, "identify", path, "--out", folder + "/out", "--quiet"], check=True)
            self.assertEqual(steelyard.run(path, threads=2).text, pathlib.Path(folder, "out/result.json").read_text())

    def test_a_dictionary_is_a_study_and_its_model_predicts_the_log(self):
        study = steelyard.study(two_r(noise=0))
        result = steelyard.run(study)
        log = study.log()
        qdd = np.gradient(log["velocity"], log["time"], axis=0) if "acceleration" not in log else log["acceleration"]
        left = log["torque"] - result.predict(log["position"], log["velocity"], qdd)
        self.assertLess(np.sqrt((left[50:-50]**2).mean() / (log["torque"]**2).mean()), 0.01)
        self.assertFalse(steelyard.validate(result, two_r(noise=0)).validation[0]["fresh"])
        self.assertTrue(steelyard.validate(result, two_r(noise=0, seed=4)).validation[0]["fresh"])

    def test_forecasts_of_runs_files_and_arrays(self):
        result = steelyard.run(two_r())
        typical = result.typical()
        self.assertEqual(typical, result.forecast["typical"])
        self.assertLess(typical["lower"], typical["upper"])
        study = steelyard.study(two_r(seed=4))
        by_run = steelyard.forecast(result, study)
        self.assertEqual([run["run"] for run in by_run], ["made"])
        self.assertEqual([joint["name"] for joint in by_run[0]["forecast"]["joints"]], ["joint1", "joint2"])
        log = study.log()
        by_array = steelyard.forecast(result, study, (log["time"], log["position"]))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "planned.csv")
            np.savetxt(path, np.column_stack([log["time"], log["position"]]), delimiter=",", header="t_s,q1_rad,q2_rad",
                       comments="")
            by_file = steelyard.forecast(result, study, path)
            positions_only = {**two_r(), "runs": [{"file": str(path), "columns": {"time": "t_s", "position": "q{j}_rad"}}]}
            by_study = steelyard.forecast(result, positions_only)
            with self.assertRaises(steelyard.InputError) as caught:
                steelyard.run(positions_only)
            self.assertIn("columns has no torque", str(caught.exception))
        self.assertEqual(by_file[0]["run"], "planned.csv")
        for found in (by_array, by_file, by_study):
            # Velocities are differences here, and measured in the simulated log.
            self.assertAlmostEqual(found[0]["forecast"]["expected"] / by_run[0]["forecast"]["expected"], 1, delta=0.02)
        with self.assertRaises(steelyard.InputError):
            steelyard.forecast(result, study, (log["time"], log["position"], log["velocity"]))

    def test_links_from_base_values(self):
        given = {"Jyy1": -1.816, "Jxx2": 1.86, "Jxy2": 0, "Jxz2": 0, "Jyz2": 0, "Jzz2": -1.85, "mx2": 2.1, "my2": 0}
        result = steelyard.retrieve({"robot": str(ROBOTS / "two_r.yaml"), "feasible": {}}, given)
        self.assertEqual(len(result.links), 2)
        self.assertTrue(all(link["margin"] > 0 for link in result.links))

    def test_progress_is_told(self):
        stages = []
        steelyard.run(two_r(), progress=lambda stage, share: stages.append(stage))
        self.assertTrue(stages)

    def test_two_threads_run_at_once(self):
        """While one thread is inside a long call another one goes on."""
        ticks = []
        worker = threading.Thread(target=lambda: steelyard.run(str(SOURCE / "examples/demo/study.yaml")))
        worker.start()
        while worker.is_alive():
            ticks.append(time.monotonic())
            time.sleep(0.002)
        worker.join()
        self.assertGreater(len(ticks), 20)
        self.assertLess(max(np.diff(ticks)), 0.5 * (ticks[-1] - ticks[0]))


class Errors(unittest.TestCase):
    def setUp(self):
        self.robot = steelyard.read_robot(ROBOTS / "panda.yaml")
        self.plan = steelyard.Plan(self.robot)

    def expect(self, words, call, *arguments):
        with self.assertRaises(steelyard.InputError) as caught:
            call(*arguments)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_wrong_arrays(self):
        q, qd, qdd = motion(self.robot, 10)
        self.expect(["q", "(10, 6)", "(samples, 7)"], self.plan.evaluate, q[:, :6], qd, qdd)
        self.expect(["(7, 10)", "q.T"], self.plan.evaluate, q.T, qd, qdd)
        self.expect(["qd", "float32", "astype"], self.plan.evaluate, q, qd.astype(np.float32), qdd)
        self.expect(["int64"], self.plan.evaluate, q.astype(int), qd, qdd)
        self.expect(["qdd", "9"], self.plan.evaluate, q, qd, qdd[:9])
        self.expect(["plan.tile"], self.plan.evaluate, q, qd, qdd, np.zeros((3, 10)))
        self.expect(["q"], self.plan.evaluate, object(), qd, qdd)

    def test_wrong_files_and_studies(self):
        with self.assertRaises((steelyard.InputError, steelyard.MachineError)) as caught:
            steelyard.read_robot("nowhere.yaml")
        self.assertIn("nowhere.yaml", str(caught.exception))
        self.expect(["wrng"], steelyard.run, {**two_r(), "wrng": 1})
        self.expect(["method"], steelyard.estimate, [], "best")
        with self.assertRaises(AttributeError) as missing:
            steelyard.run(two_r()).nothing
        self.assertIn("residual", str(missing.exception))


class Examples(unittest.TestCase):
    def test_they_run(self):
        for name, argument, word in (("01_inverse_dynamics.py", ROBOTS / "panda.yaml", "panda"),
                                     ("02_base_parameters.py", ROBOTS / "two_r.yaml", "8 of"),
                                     ("03_identify.py", SOURCE / "examples/demo/study.yaml", "good"),
                                     ("04_from_arrays.py", SOURCE / "examples/demo/study.yaml", "good:")):
            example = SOURCE / "examples/python" / name
            done = subprocess.run([sys.executable, example, argument], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(word, done.stdout)
            lines = [line for line in example.read_text().splitlines() if line.strip()]
            self.assertLessEqual(len(lines), 15, name)


if __name__ == "__main__":
    unittest.main()
