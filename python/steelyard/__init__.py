"""Steelyard: the dynamic model of a robot from joint logs.

    import steelyard
    result = steelyard.identify("arm.urdf", t, q, effort)       # NumPy arrays or pandas columns
    result = steelyard.run("study.yaml")                        # or a study with its logs
    print(result.verdict["level"], result.values()["mx2"])

Arrays are float64 with one row per sample and one column per joint, SI units, angles in rad. Arrays in Fortran order (and what
`Study.log` returns) are used without a copy. Errors are InputError (a ValueError), MachineError (an OSError) and
InternalError, with the texts of the program.
"""
from ._core import (BaseParameter, BaseParameters, Estimate, Fold, InputError, InternalError, MachineError, Plan, Robot,
                    Row, Study, __version__, base_parameters, estimate, fold_efforts, read_folds)
from ._result import JointForecast, MotionForecast, Page, Result, RunForecast
from ._study import read_robot, study, study_from_arrays
from ._verbs import (check, excite, forecast, gains, identify, init, next_run, retrieve, reverse, run, signs, validate)

__all__ = ["BaseParameter", "BaseParameters", "Estimate", "Fold", "InputError", "InternalError", "JointForecast",
           "MachineError", "MotionForecast", "Page", "Plan", "Result", "Robot", "Row", "RunForecast", "Study", "__version__",
           "base_parameters", "check", "estimate", "excite", "fold_efforts", "forecast", "gains", "identify", "init",
           "next_run", "read_folds", "read_robot", "retrieve", "reverse", "run", "signs", "study", "study_from_arrays",
           "validate"]
