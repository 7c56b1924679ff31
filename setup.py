"""`pip install .` calls CMake: the same package as `make python`, in the environment's own folder.

Environment: CMAKE_ARGS, further options of CMake; STEELYARD_BUILD_FOLDER, where to build (kept for the next time).
"""
import os
import pathlib
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve().parent
        build = os.environ.get("STEELYARD_BUILD_FOLDER", str(pathlib.Path(self.build_temp).resolve()))
        subprocess.run(["cmake", "-S", str(root), "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DSTEELYARD_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                       check=True)
        subprocess.run(["cmake", "--build", build, "--target", "steelyard_python"], check=True)
        target.mkdir(parents=True, exist_ok=True)
        for built in (pathlib.Path(build) / "python/steelyard").glob("_core*.so"):
            self.copy_file(str(built), str(target / built.name))


setup(
    version=(root / "VERSION").read_text().strip(),
    packages=["steelyard"],
    package_dir={"steelyard": "python/steelyard"},
    package_data={"steelyard": ["_core.pyi", "py.typed"]},
    ext_modules=[Extension("steelyard._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
