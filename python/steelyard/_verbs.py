"""The verbs of the program as functions."""
import contextlib
import json
import os
import pathlib
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._core import InputError, Study
from ._result import Result, RunForecast
from ._study import Recording, RobotSource, Source, study, study_from_arrays

# Called with the stage and its share from 0 to 1; True: a line on standard error, in terminals and notebooks.
Progress = Union[None, bool, Callable[[str, float], None]]
_Path = Union[str, "os.PathLike[str]"]


@contextlib.contextmanager
def _told(progress: Progress) -> Iterator[Optional[Callable[[str, float], None]]]:
    if callable(progress):
        yield progress
        return
    last, shown = time.monotonic(), 0

    def line(stage: str, share: float) -> None:
        nonlocal last, shown
        if time.monotonic() - last < 0.2:
            return
        last = time.monotonic()
        text = f"{stage}: {100 * share:.0f} %"
        sys.stderr.write("\r" + text.ljust(shown))
        sys.stderr.flush()
        shown = len(text)

    try:
        yield line if progress else None
    finally:
        if shown:
            sys.stderr.write("\r" + " " * shown + "\r")
            sys.stderr.flush()


def _seeded(source: Source, seed: Optional[int]) -> Study:
    given = study(source)
    if seed is not None:
        given.set_seed(seed)
    return given


def _result_text(result: Union[Result, _Path]) -> str:
    return result.text if isinstance(result, Result) else pathlib.Path(result).read_text(encoding="utf-8")


def run(source: Source, threads: int = 1, seed: Optional[int] = None, progress: Progress = None) -> Result:
    """From logs to a Result: estimate, feasible links, signs, gains, reverse, as the study requests."""
    given = _seeded(source, seed)
    with _told(progress) as told:
        outcome = _core.run_study(given, threads, told)
    return Result(outcome.text, outcome, given)


def identify(robot: RobotSource, t: Any, q: Any, effort: Any, qd: Any = None, qdd: Any = None, *,
             cutoff: Union[str, float] = "auto", friction: Union[None, str, Sequence[str]] = "auto",
             feasible: Union[bool, Mapping[str, Any]] = True, validate: Sequence[Recording] = (), unsigned: bool = False,
             cross: Optional[Mapping[str, Any]] = {"blocks": 10, "by": "phase"}, threads: int = 1,
             progress: Progress = None, **keys: Any) -> Result:
    """A model from arrays, without files.

    robot      Robot, or path of its file
    t          times (samples,) [s]
    q, qd, qdd positions, and where they were measured velocities and accelerations (samples, joints) [rad, m]
    effort     torques or forces (samples, joints) [N·m, N]; currents [A] beside `gains`; |effort| beside `unsigned`
               Several runs: lists of arrays. NumPy arrays or what turns into them: pandas columns
    cutoff     of the filters [Hz]; "auto": chosen on held-out efforts
    friction   "auto", a form or a list of terms (docs/friction.md); None: as the robot's file says
    feasible   physically possible links as well; a dictionary: the section `feasible` of a study
    validate   runs that are predicted and not fitted: (t, q, effort), (t, q, effort, qd) or (…, qdd)
    cross      cross-validation; None: none
    keys       every other key of a study (docs/study.md): estimate={"method": "huber"}, gains={…}, payloads=[…], seed=2.
               Sections are completed, not replaced: prepare={"differences": 4} keeps the filters
    """
    given = study_from_arrays(robot, t, q, effort, qd, qdd, cutoff=cutoff, friction=friction, feasible=feasible,
                              validate=validate, unsigned=unsigned, cross=cross, **keys)
    return run(given, threads, None, progress)


def check(source: Source, threads: int = 1, progress: Progress = None) -> List[Dict[str, Any]]:
    """The doctor's findings about logs and set-up, as dictionaries, most severe first."""
    with _told(progress) as told:
        return _core.check_study(study(source), threads, told)


def validate(result: Union[Result, _Path], source: Source, threads: int = 1, progress: Progress = None) -> Result:
    """A model (Result or path) on the runs of a study; nothing is fitted."""
    given = study(source)
    with _told(progress) as told:
        outcome = _core.validate_study(given, _result_text(result), threads, told)
    return Result(outcome.text, outcome, given)


def forecast(result: Union[Result, _Path], source: Source,
             motion: Union[None, _Path, Sequence[_Path], Tuple[Any, Any]] = None, threads: int = 1,
             progress: Progress = None) -> List[RunForecast]:
    """The error to expect of a model on motions that were not measured, as dictionaries, one per motion.

    Motions are the runs of the study, whose efforts are not used and need not be there; or instead of them `motion`: a file
    with time and joint positions, several of them, or the arrays (time, q)."""
    files: List[str] = []
    t: Any = None
    q: Any = None
    if isinstance(motion, tuple):
        if len(motion) != 2:
            raise InputError(f"motion is a tuple of {len(motion)}; expected: (time, q)")
        t, q = motion
    elif isinstance(motion, (str, os.PathLike)):
        files = [os.fspath(motion)]
    elif motion is not None:
        files = [os.fspath(path) for path in motion]
    with _told(progress) as told:
        text = _core.forecast_study(study(source), _result_text(result), files, t, q, threads, told)
    found: List[RunForecast] = json.loads(text)["runs"]
    return found


def signs(source: Source, threads: int = 1, seed: Optional[int] = None, progress: Progress = None) -> Dict[str, Any]:
    """The signs of the runs that log |effort| only (docs/signs.md), as the part `signs` of a result, with `findings`."""
    with _told(progress) as told:
        text, findings = _core.signs_study(_seeded(source, seed), threads, told)
    return {**json.loads(text), "findings": findings}


def reverse(source: Source, threads: int = 1, seed: Optional[int] = None, progress: Progress = None) -> Result:
    """The model behind a vendor's g(q) and M(q): a study with the section `reverse` (docs/reverse.md)."""
    given = _seeded(source, seed)
    if not given.reverses:
        raise InputError("the study has no key `reverse`; expected: reverse: {source: …} → docs/reverse.md describes it")
    return run(given, threads, None, progress)


def gains(source: Source, loads: Sequence[float] = ()) -> Dict[str, Any]:
    """How accurately a simulated motion with a load would identify the gain of every drive (docs/gains.md); `loads`: masses of
    further candidates [kg]. To identify gains: `run` of a study with the section `gains`, or `identify(…, gains={})`."""
    advice: Dict[str, Any] = json.loads(_core.gains_study(study(source), list(loads)))
    return advice


def retrieve(source: Source, base: Union[Result, Mapping[str, Any], _Path], threads: int = 1,
             progress: Progress = None) -> Result:
    """Feasible links from base values: a path of a result.json or YAML, or a dictionary name → value."""
    given = study(source)
    with tempfile.TemporaryDirectory() as folder, _told(progress) as told:
        if isinstance(base, Result):
            path = pathlib.Path(folder, "base.json")
            path.write_text(base.text, encoding="utf-8")
        elif isinstance(base, Mapping):
            path = pathlib.Path(folder, "base.yaml")
            path.write_text(json.dumps({"base": dict(base)}), encoding="utf-8")
        else:
            path = pathlib.Path(base)
        outcome = _core.retrieve_study(given, os.fspath(path), threads, told)
    return Result(outcome.text, outcome, given)


def excite(source: Source, threads: int = 1, progress: Progress = None) -> Dict[str, Any]:
    """An optimal exciting motion within all limits (docs/excite.md), as a dictionary."""
    with _told(progress) as told:
        motion: Dict[str, Any] = json.loads(_core.excite_study(study(source), threads, told))
    return motion


def next_run(source: Source, threads: int = 1, progress: Progress = None) -> Dict[str, Any]:
    """What to measure next, as a dictionary."""
    with _told(progress) as told:
        found: Dict[str, Any] = json.loads(_core.next_study(study(source), threads, told))
    return found


def init(robot: _Path, logs: Union[_Path, Sequence[_Path]], path: _Path = "study.yaml") -> Tuple[str, List[str]]:
    """Text of a first study, and the names of what it asks for. Nothing is written."""
    several = [logs] if isinstance(logs, (str, os.PathLike)) else logs
    return _core.init_study(os.fspath(robot), [os.fspath(log) for log in several], os.fspath(path))
