"""Results: result.json as attributes, predictions, files and pages."""
import html
import json
import os
import pathlib
from typing import Any, Dict, List, Optional, Tuple, TypedDict, Union

from . import _core
from ._core import InputError, Robot, Study
from ._study import Array, Source, study as _read_study

_Path = Union[str, "os.PathLike[str]"]


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


def write(path: _Path, text: str) -> None:
    """Written completely or not at all."""
    path = pathlib.Path(path)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


class Page:
    """One offline HTML file, shown where a notebook displays it."""

    def __init__(self, text: str) -> None:
        self.html = text

    def save(self, path: _Path) -> None:
        write(path, self.html)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts"'
                ' style="width: 100%; height: 80vh; border: 1px solid #888"></iframe>')


class Result:
    """result.json (docs/result.md): its keys are attributes. Two runs of the same study give the same text.

    A result of a run remembers its study. One that is read from a file predicts and exports when it is given the study,
    or a dictionary with its robot and drives."""

    def __init__(self, text: str, outcome: Optional[_core.Outcome] = None, study: Optional[Study] = None) -> None:
        self.text = text
        self.data: Dict[str, Any] = json.loads(text)
        self._outcome = outcome
        self._study = study

    @classmethod
    def read(cls, path: _Path, study: Optional[Source] = None) -> "Result":
        return cls(pathlib.Path(path).read_text(encoding="utf-8"), None, None if study is None else _read_study(study))

    def save(self, path: _Path) -> None:
        """Written completely or not at all."""
        write(path, self.text)

    def __reduce__(self) -> Tuple[Any, Tuple[str]]:
        return Result, (self.text,)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__") or key == "data":
            raise AttributeError(key)
        try:
            return self.data[key]
        except KeyError:
            raise AttributeError(f"the result has no {key!r}; it has {', '.join(self.data)}") from None

    @property
    def study(self) -> Study:
        if self._study is None:
            raise InputError("the result was read without its study → Result.read(path, study)")
        return self._study

    @property
    def robot(self) -> Robot:
        """The robot of the study, with its drives."""
        return self.study.robot

    @property
    def links(self) -> List[Dict[str, Any]]:
        """Feasible links: name, mass, com, inertia_com, …; empty where the study asks for none."""
        found: List[Dict[str, Any]] = self.data.get("links", [])
        return found

    @property
    def files(self) -> Dict[str, str]:
        """Text of the files that the study exports, by name."""
        return {} if self._outcome is None else self._outcome.files

    def values(self) -> Dict[str, float]:
        """Base parameters and further columns by name."""
        return {item["name"]: item["value"] for item in self.data["base"]}

    def intervals(self) -> Dict[str, Optional[Tuple[float, float]]]:
        """(lower, upper) by name; None where there is no interval."""
        return {item["name"]: (item["interval"][0], item["interval"][1]) if "interval" in item else None
                for item in self.data["base"]}

    def typical(self) -> Optional[MotionForecast]:
        """The error to expect on typical motions (docs/forecast.md): of the feasible links where there are some, otherwise
        of the estimate; None where the fitted runs were too short for a forecast."""
        found = self.data.get("forecast", {})
        typical: Optional[MotionForecast] = found.get("feasible_typical", found.get("typical"))
        return typical

    def predict(self, q: Array, qd: Optional[Array] = None, qdd: Optional[Array] = None, *,
                feasible: bool = False) -> Array:
        """Efforts (samples, joints) of the model with its friction: by the base parameters, or by the feasible links.

        What is left out is zero: predict(q) is gravity, offsets and friction at rest. Offsets of single runs count with their
        mean."""
        return _core.predict(self.study, self.text, q, qd, qdd, feasible)

    def export(self, format: str, name: str, original: Optional[_Path] = None) -> Dict[str, str]:
        """Files by name (docs/export.md), read back and compared: c, urdf (made from `original`), sdf, mjcf, yaml, json."""
        files, _ = _core.export_files(self.study, self.text, format, name, "" if original is None else os.fspath(original))
        return files

    def to_urdf(self, original: Optional[_Path] = None, path: Optional[_Path] = None) -> str:
        """Your URDF with the feasible links: only inertials and joint dynamics change. `original`: its path; left out for a
        study that reads it."""
        if original is None:
            original = self.study.robot_path
            if not original.endswith(".urdf"):
                raise InputError("the study's robot is no URDF file → to_urdf('arm.urdf')")
        return self._one_file("urdf", "robot.urdf", original, path)

    def to_mjcf(self, path: Optional[_Path] = None) -> str:
        """A MuJoCo model with the feasible links."""
        return self._one_file("mjcf", "robot.xml", None, path)

    def _one_file(self, format: str, name: str, original: Optional[_Path], path: Optional[_Path]) -> str:
        text = self.export(format, name, original)[name]
        if path is not None:
            write(path, text)
        return text

    def report(self, path: Optional[_Path] = None) -> Page:
        """The report as one offline page; shown in notebooks, written when there is a path. A result that was read from a file
        has neither curves nor the robot in it."""
        page = Page(_core.report_of(self.text) if self._outcome is None else self._outcome.report())
        if path is not None:
            page.save(path)
        return page

    def __repr__(self) -> str:
        return f"<Result of {self.data['robot']['name']}: {self.data['verdict']['level']}>"

    def _repr_html_(self) -> str:
        """Verdict, reasons, residuals by joint and findings."""
        text = html.escape
        verdict = self.data["verdict"]
        out = [f"<p><b>{text(self.data['robot']['name'])}: {text(verdict['level'].replace('_', ' '))}</b></p>",
               "<ul>", *(f"<li>{text(reason)}</li>" for reason in verdict["reasons"]), "</ul>"]
        residual = self.data.get("residual", {})
        if residual.get("per_joint"):
            out.append("<table><tr><th>joint</th><th>rms</th><th>unexplained %</th><th>raw %</th></tr>")
            rows = [*residual["per_joint"], {**residual, "name": "all"}]
            for row in rows:
                cells = [row["name"], f"{row['rms']:.3g}" if "rms" in row else "", _percent(row.get("prepared")),
                         _percent(row.get("raw"))]
                out.append("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in cells) + "</tr>")
            out.append("</table>")
        findings = self.data.get("findings", [])
        if findings:
            out += ["<ul>", *(f"<li>{text(item['severity'])} <b>{text(item['code'])}</b> {text(item.get('joint', ''))}: "
                              f"{text(item['evidence'])}</li>" for item in findings), "</ul>"]
        return "".join(out)


def _percent(share: Optional[float]) -> str:
    return "" if share is None else f"{100 * share:.2f}"
