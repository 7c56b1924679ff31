"""Steelyard: the dynamic model of a robot from joint logs.

    import steelyard
    result = steelyard.run("study.yaml")
    print(result.verdict["level"], result.values()["mx2"])

Arrays are float64 with one row per sample and one column per joint, SI units, angles in rad. Arrays in Fortran order (and what
`Study.log` returns) are used without a copy. Errors are InputError (a ValueError), MachineError (an OSError) and
InternalError, with the texts of the program.
"""
import json as _json
import os as _os
import pathlib as _pathlib

from typing import Any, Callable, List, Optional, Sequence, Tuple, TypedDict, Union

from ._core import (BaseParameter, BaseParameters, Estimate, Fold, InputError, InternalError, MachineError, Plan, Robot,
                    Row, Study, __version__, base_parameters, estimate, fold_efforts, read_folds)
from . import _core

__all__ = ["BaseParameter", "BaseParameters", "Estimate", "Fold", "InputError", "InternalError", "MachineError", "Plan",
           "JointForecast", "MotionForecast", "Result", "Robot", "Row", "RunForecast", "Study", "base_parameters", "check",
           "estimate", "excite", "fold_efforts", "forecast", "init", "next_run", "read_folds", "read_robot", "retrieve",
           "run", "study", "validate"]


class JointForecast(TypedDict, total=False):
    """Of one joint: expected error [N·m or N], and as shares of its effort; no shares where it takes none."""
    name: str
    rms: float
    expected: float
    upper: float


class MotionForecast(TypedDict):
    """Shares of the effort that will be unexplained; lower and upper hold with a probability of 90 % each."""
    expected: float
    lower: float
    upper: float
    joints: List[JointForecast]


class _RunForecast(TypedDict):
    run: str
    forecast: MotionForecast


class RunForecast(_RunForecast, total=False):
    """Of one motion; `feasible_forecast` of results with feasible links."""
    feasible_forecast: MotionForecast


class Result:
    """result.json (docs/result.md): its keys are attributes. Two runs of the same study give the same text."""

    def __init__(self, text):
        self.text = text
        self.data = _json.loads(text)

    @classmethod
    def read(cls, path):
        return cls(_pathlib.Path(path).read_text())

    def save(self, path):
        """Written completely or not at all."""
        path = _pathlib.Path(path)
        temporary = path.with_name(path.name + ".tmp")
        temporary.write_text(self.text)
        _os.replace(temporary, path)

    def __getattr__(self, key):
        if key.startswith("__") or key == "data":
            raise AttributeError(key)
        try:
            return self.data[key]
        except KeyError:
            raise AttributeError(f"the result has no {key!r}; it has {', '.join(self.data)}") from None

    def values(self):
        """Base parameters and further columns by name."""
        return {item["name"]: item["value"] for item in self.data["base"]}

    def intervals(self):
        """(lower, upper) by name; None where there is no interval."""
        return {item["name"]: tuple(item["interval"]) if "interval" in item else None for item in self.data["base"]}

    def typical(self) -> Optional[MotionForecast]:
        """The error to expect on typical motions (docs/forecast.md): of the feasible links where there are some, otherwise
        of the estimate; None where the fitted runs were too short for a forecast."""
        found = self.data.get("forecast", {})
        return found.get("feasible_typical", found.get("typical"))

    def predict(self, robot, q, qd, qdd):
        """Efforts (samples, joints) by the base parameters. `robot` is that of the study (Study.robot), with its drives."""
        values = self.values()
        plan = Plan(robot, columns=[lead.lead for lead in base_parameters(robot).base])
        further = set(values) - set(plan.columns)
        if further:
            raise InputError(f"the model has columns that are no parameters of the robot: {', '.join(sorted(further))}")
        return plan.regressor(q, qd, qdd) @ [values[name] for name in plan.columns]

    def __repr__(self):
        return f"<Result of {self.data['robot']['name']}: {self.data['verdict']['level']}>"


def read_robot(path):
    """A robot from YAML (DH, modified DH, frames) or URDF."""
    return Robot.read(_os.fspath(path))


def study(source, folder="."):
    """A study from a path, or from a dictionary with the keys of docs/study.md; paths in it are relative to `folder`."""
    if isinstance(source, Study):
        return source
    if isinstance(source, dict):
        return Study.from_text(_json.dumps(source), _os.path.join(_os.fspath(folder), "study.yaml"))
    return Study.read(_os.fspath(source))


def _result_text(result):
    return result.text if isinstance(result, Result) else _pathlib.Path(result).read_text()


def run(source, threads=1, seed=None, progress=None):
    """From logs to a Result: estimate, feasible links, signs, gains, reverse, as the study requests."""
    given = study(source)
    if seed is not None:
        given.set_seed(seed)
    return Result(_core.run_study(given, threads, progress))


def check(source, threads=1, progress=None):
    """The doctor's findings about logs and set-up, as dictionaries, most severe first."""
    return _core.check_study(study(source), threads, progress)


def validate(result, source, threads=1, progress=None):
    """A model (Result or path) on the runs of a study; nothing is fitted."""
    return Result(_core.validate_study(study(source), _result_text(result), threads, progress))


def forecast(result: "Union[Result, str, _os.PathLike[str]]", source: "Union[Study, dict[str, Any], str, _os.PathLike[str]]",
             motion: "Union[None, str, _os.PathLike[str], Sequence[Union[str, _os.PathLike[str]]], Tuple[Any, Any]]" = None,
             threads: int = 1, progress: Optional[Callable[[str, float], None]] = None) -> List[RunForecast]:
    """The error to expect of a model on motions that were not measured, as dictionaries, one per motion.

    Motions are the runs of the study, whose efforts are not used and need not be there; or instead of them `motion`: a file
    with time and joint positions, several of them, or the arrays (time, q)."""
    files, time, q = [], None, None
    if isinstance(motion, tuple):
        if len(motion) != 2:
            raise InputError("motion is a tuple of %d; expected: (time, q)" % len(motion))
        time, q = motion
    elif isinstance(motion, (str, _os.PathLike)):
        files = [_os.fspath(motion)]
    elif motion is not None:
        files = [_os.fspath(path) for path in motion]
    text = _core.forecast_study(study(source), _result_text(result), files, time, q, threads, progress)
    return _json.loads(text)["runs"]


def retrieve(source, base, threads=1, progress=None):
    """Feasible links from base values: a path of a result.json or YAML, or a dictionary name → value."""
    if isinstance(base, (dict, Result)):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = _os.path.join(folder, "base.json" if isinstance(base, Result) else "base.yaml")
            _pathlib.Path(path).write_text(base.text if isinstance(base, Result) else _json.dumps({"base": base}))
            return Result(_core.retrieve_study(study(source), path, threads, progress))
    return Result(_core.retrieve_study(study(source), _os.fspath(base), threads, progress))


def excite(source, threads=1, progress=None):
    """An optimal exciting motion within all limits (docs/excite.md), as a dictionary."""
    return _json.loads(_core.excite_study(study(source), threads, progress))


def next_run(source, threads=1, progress=None):
    """What to measure next, as a dictionary."""
    return _json.loads(_core.next_study(study(source), threads, progress))


def init(robot, logs, path="study.yaml"):
    """Text of a first study, and the names of what it asks for. Nothing is written."""
    logs = [logs] if isinstance(logs, (str, _os.PathLike)) else logs
    return _core.init_study(_os.fspath(robot), [_os.fspath(log) for log in logs], _os.fspath(path))
