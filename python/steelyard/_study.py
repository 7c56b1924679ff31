"""Studies: files, dictionaries, and arrays in place of logs."""
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import InputError, Robot, Study

Array = NDArray[np.float64]
Source = Union[Study, Mapping[str, Any], str, "os.PathLike[str]"]
RobotSource = Union[Robot, str, "os.PathLike[str]"]
Recording = Sequence[Any]  # time, position, effort and where there are any velocity and acceleration

_CHANNELS = ("time", "position", "effort", "velocity", "acceleration")


def read_robot(path: "Union[str, os.PathLike[str]]") -> Robot:
    """A robot from YAML (DH, modified DH, frames), URDF or MJCF."""
    return Robot.read(os.fspath(path))


def study(source: Source, folder: "Union[str, os.PathLike[str]]" = ".") -> Study:
    """A study from a path, or from a dictionary with the keys of docs/study.md; paths in it are relative to `folder`.

    In a dictionary `robot` may be a Robot, and a run may have `arrays` instead of `file` and `columns`: a dictionary
    from channels (time, position, torque or current, velocity, …) to arrays."""
    if isinstance(source, Study):
        return source
    if not isinstance(source, Mapping):
        return Study.read(os.fspath(source))
    keys = dict(source)
    arrays: Dict[str, Dict[str, Any]] = {}
    if "runs" in keys:
        keys["runs"] = [_with_name(run, f"arrays {number}", arrays) for number, run in enumerate(keys["runs"], 1)]
    robot = keys.get("robot")
    if isinstance(robot, Robot):
        keys["robot"] = "robot in memory"
    text = json.dumps(keys, default=_plain)
    return _core.study_with(text, os.path.join(os.fspath(folder), "study.yaml"), robot if isinstance(robot, Robot) else None,
                            arrays)


def study_from_arrays(robot: RobotSource, t: Any, q: Any, effort: Any, qd: Any = None, qdd: Any = None, *,
                      cutoff: Union[str, float] = "auto", friction: Union[None, str, Sequence[str]] = "auto",
                      feasible: Union[bool, Mapping[str, Any]] = True, validate: Sequence[Recording] = (),
                      unsigned: bool = False, cross: Optional[Mapping[str, Any]] = {"blocks": 10, "by": "phase"},
                      **keys: Any) -> Study:
    """The study that `identify` runs; its arguments are described there. For check, forecast and validate."""
    drives = {} if friction is None else {"drives": {"friction": friction}}
    delay = {} if unsigned or "gains" in keys else {"effort_delay": "auto"}
    made: Dict[str, Any] = {
        "robot": robot, **drives,
        "prepare": {"filter": {"order": 4, "cutoff": cutoff}, "columns": "filtered", "decimate": "auto", **delay},
        "estimate": {"method": "irls"}}
    if cross is not None:
        made["validate"] = {"cross": dict(cross)}
    if feasible is not False:
        made["feasible"] = {} if feasible is True else dict(feasible)
    fitted = list(zip(*_several(t, q, effort, qd, qdd)))
    channel = "current" if "gains" in keys else "torque"
    made["runs"] = [_run(f"run {k}", "fit", recording, channel, unsigned) for k, recording in enumerate(fitted, 1)]
    made["runs"] += [_run(f"validation {k}", "validate", recording, channel, unsigned)
                     for k, recording in enumerate(validate, 1)]
    return study(_merged(made, keys))


def _several(*arrays: Any) -> List[List[Any]]:
    """The arrays of every run: lists of arrays are several runs."""
    if not isinstance(arrays[1], (list, tuple)):
        return [[array] for array in arrays]
    runs = len(arrays[1])
    out = []
    for name, array in zip(_CHANNELS, arrays):
        if array is None:
            array = [None] * runs
        if not isinstance(array, (list, tuple)) or len(array) != runs:
            raise InputError(f"q is a list of {runs} runs, {name} is not; expected: as many arrays of {name}")
        out.append(list(array))
    return out


def _run(label: str, role: str, recording: Recording, channel: str, unsigned: bool) -> Dict[str, Any]:
    if not 3 <= len(recording) <= len(_CHANNELS):
        raise InputError(f"{label} has {len(recording)} arrays; expected: (t, q, effort), (…, qd) or (…, qd, qdd)")
    arrays = {channel if name == "effort" else name: array
              for name, array in zip(_CHANNELS, recording) if array is not None}
    return {"label": label, "role": role, "arrays": arrays, **({"unsigned": True} if unsigned else {})}


def _merged(ours: Mapping[str, Any], given: Mapping[str, Any]) -> Dict[str, Any]:
    """Sections key by key; all else as given."""
    out = dict(ours)
    for key, value in given.items():
        both = isinstance(value, Mapping) and isinstance(out.get(key), Mapping)
        out[key] = _merged(out[key], value) if both else value
    return out


def _with_name(run: Mapping[str, Any], name: str, arrays: Dict[str, Dict[str, Any]]) -> Mapping[str, Any]:
    """The run with a name and columns in the place of its arrays, which are kept under it."""
    if "arrays" not in run:
        return run
    for key in ("file", "simulate", "folds", "columns", "units"):
        if key in run:
            raise InputError(f"a run has `arrays` beside `{key}`; expected: one of them, arrays in SI units")
    arrays[name] = {channel: _array(channel, values) for channel, values in run["arrays"].items()}
    return {**{key: value for key, value in run.items() if key != "arrays"}, "file": name,
            "columns": {channel: channel for channel in arrays[name]}}


def _array(channel: str, values: Any) -> Any:
    array = np.asarray(values)
    if array.dtype.kind in "mM":
        raise InputError(f"{channel} has the type {array.dtype}; expected: float64 in seconds"
                         " → (t - t[0]) / numpy.timedelta64(1, 's')")
    return array[:, None] if channel != "time" and array.ndim == 1 else array


def _plain(value: Any) -> Any:
    """Paths and NumPy numbers in a dictionary."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise InputError(f"a study has no place for a {type(value).__name__}")
