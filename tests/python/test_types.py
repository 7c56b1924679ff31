"""Type stubs: the package passes a type checker, what users write does too, and the stub has what the module has."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["STEELYARD_SOURCE"])
USES = '''
import numpy as np
import steelyard

robot = steelyard.Robot.from_urdf("arm.urdf")
t, q = np.zeros(10), np.zeros((10, robot.dof))
result = steelyard.identify(robot, t, q, q, cutoff=5, friction=["viscous"], validate=[(t, q, q)], estimate={"method": "wls"})
largest: float = result.predict(q, q, q).max()
mass: float = result.links[0]["mass"]
urdf: str = result.to_urdf("arm.urdf", path="new.urdf")
result.report("report.html").save("again.html")
upper: float = steelyard.forecast(result, {"robot": robot}, (t, q))[0]["forecast"]["upper"]
signs = steelyard.signs("study.yaml", progress=lambda stage, share: None)["segments"]
print(steelyard.gains("study.yaml", [2.0]), steelyard.reverse("study.yaml").values()["mx2"])
'''


def mypy(*arguments):
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True)


class Types(unittest.TestCase):
    def test_the_package_passes_a_strict_checker(self):
        done = mypy("mypy", "--strict", "--python-version", "3.9", "--cache-dir", os.devnull, str(SOURCE / "python/steelyard"))
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_uses_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "uses.py")
            path.write_text(USES)
            done = mypy("mypy", "--strict", "--cache-dir", os.devnull, str(path))
            self.assertEqual(done.returncode, 0, done.stdout)
            path.write_text(USES + "steelyard.run(3)\nresult.predict('q')\nrobot.dofs\n")
            wrong = mypy("mypy", "--cache-dir", os.devnull, str(path))
            self.assertEqual(wrong.stdout.count("error:"), 3, wrong.stdout)

    def test_the_stub_has_what_the_module_has(self):
        done = mypy("mypy.stubtest", "steelyard._core")
        errors = [line for line in done.stdout.splitlines() if line.startswith("error:")]
        # Classes of pybind11 have a metaclass and a constructor of its own.
        ours = [line for line in errors if not re.search(r"metaclass differs|__init__ is inconsistent", line)]
        self.assertEqual(ours, [], done.stdout)
        self.assertRegex(done.stdout, "checked 1 module")


if __name__ == "__main__":
    unittest.main()
