#!/usr/bin/env python3
"""One robot's parameters from logs with NumPy, as one writes it in an afternoon; then a prediction of another log.

    numpy_league.py < job.json

Central differences, a zero-phase Butterworth filter on positions and efforts, the recursive Newton-Euler regressor of all
ten parameters of every link with viscous, Coulomb and offset friction, all samples stacked, numpy.linalg.lstsq. The job
names the joints (poses before and after each axis), the logs with their columns, which are fitted and which predicted.
Printed: JSON with the residuals of the predicted log, filtered and as logged, and the processor time of one thread.
"""
import json
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the number of threads)
from numpy_identify import inertia_columns, skew  # noqa: E402  (it lies beside this script)

GRAVITY = 9.81


def turn(axis, angle):
    S = skew(np.asarray(axis))
    return np.eye(3) + np.sin(angle)[:, None, None] * S + (1 - np.cos(angle))[:, None, None] * (S @ S)


def apply(R, v):
    return (R @ v[..., None])[..., 0]


def regressor(job, q, dq, ddq):
    """Y of the samples: [N, joints, 13 * joints]; ten of each link, then fv, fc, fo of each joint."""
    n, count = q.shape[1], q.shape[0]
    w, dw, acc = np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, 3))
    acc[:] = -np.asarray(job["gravity"])
    frames, forces, moments = [], [], []
    for j, joint in enumerate(job["joints"]):
        R0, p0 = np.array(joint["before"]["R"]), np.array(joint["before"]["p"])
        R1, p1 = np.array(joint["after"]["R"]), np.array(joint["after"]["p"])
        axis, zero = np.array(joint["axis"]), np.zeros((count, 3))
        slides = joint["kind"] == "prismatic"
        M = np.broadcast_to(np.eye(3), (count, 3, 3)) if slides else turn(axis, q[:, j])
        move = q[:, j, None] * axis if slides else zero
        R = R0 @ M  # of the joint's frame, behind the motion, in the parent's
        p = p0 + move @ R0.T
        Rt = np.swapaxes(R, -1, -2)
        acc = apply(Rt, acc + np.cross(dw, p) + np.cross(w, np.cross(w, p)))
        w, dw = apply(Rt, w), apply(Rt, dw)
        if slides:
            acc = acc + 2 * np.cross(w, dq[:, j, None] * axis) + ddq[:, j, None] * axis
        else:
            dw = dw + np.cross(w, dq[:, j, None] * axis) + ddq[:, j, None] * axis
            w = w + dq[:, j, None] * axis
        frames.append((R, p, R1, p1, axis, slides))
        acc = (acc + np.cross(dw, p1) + np.cross(w, np.cross(w, p1))) @ R1  # the link's own frame
        w, dw = w @ R1, dw @ R1
        Sw = skew(w)
        force, moment = np.zeros((count, 3, 10)), np.zeros((count, 3, 10))
        force[..., 0] = acc
        force[..., 1:4] = skew(dw) + Sw @ Sw
        moment[..., 1:4] = -skew(acc)
        moment[..., 4:] = inertia_columns(dw) + Sw @ inertia_columns(w)
        forces.append(force)
        moments.append(moment)
    Y = np.zeros((count, n, 13 * n))
    force, moment = np.zeros((count, 3, 0)), np.zeros((count, 3, 0))
    for j in reversed(range(n)):
        R, p, R1, p1, axis, slides = frames[j]
        force = np.concatenate([forces[j], force], axis=-1)
        moment = np.concatenate([moments[j], moment], axis=-1)
        force, moment = R1 @ force, R1 @ moment  # at the joint
        moment = moment + skew(p1) @ force
        Y[:, j, 10 * j:10 * n] = np.einsum("k,nkc->nc", axis, force if slides else moment)
        force, moment = R @ force, R @ moment
        moment = moment + skew(p) @ force
    for j in range(n):
        Y[:, j, 10 * n + 3 * j] = dq[:, j]
        Y[:, j, 10 * n + 3 * j + 1] = np.sign(dq[:, j])
        Y[:, j, 10 * n + 3 * j + 2] = 1
    return Y


def low_pass(x, cutoff, rate, order=4):
    """Butterworth forth and back: its gain squared, no phase. Ends are mirrored."""
    pad = min(len(x) - 1, int(3 * rate / cutoff))
    before = 2 * x[0] - x[pad:0:-1]
    after = 2 * x[-1] - x[-2:-pad - 2:-1]
    long = np.concatenate([before, x, after])
    f = np.fft.rfftfreq(len(long), 1 / rate)
    H = 1 / (1 + (f / cutoff) ** (2 * order))
    return np.fft.irfft(np.fft.rfft(long, axis=0) * H[:, None], n=len(long), axis=0)[pad:pad + len(x)]


def read(job, path):
    with open(path) as file:
        head = file.readline().strip().split(",")
    data = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    column = {name: k for k, name in enumerate(head)}
    t = data[:, column["t_s"]]
    q = data[:, [column[c] for c in job["position"]]] * job["position_scale"]
    tau = data[:, [column[c] for c in job["effort"]]] * np.array(job["effort_scale"])
    if "transmission" in job:
        N = np.array(job["transmission"])
        q, tau = q @ np.linalg.inv(N).T, tau @ N
    return t, q + np.array(job["position_offset"]), tau


def prepare(job, path):
    """Filtered samples without their ends, and the efforts as logged."""
    t, q, tau = read(job, path)
    rate = (len(t) - 1) / (t[-1] - t[0])
    smooth = low_pass(q, job["cutoff"], rate)
    dq = np.gradient(smooth, 1 / rate, axis=0)
    ddq = np.gradient(dq, 1 / rate, axis=0)
    filtered = low_pass(tau, job["cutoff"], rate)
    ends = int(rate / job["cutoff"])
    keep = slice(ends, len(t) - ends)
    return smooth[keep], dq[keep], ddq[keep], filtered[keep], tau[keep]


def relative(wrong, whole, units):
    """Residual over effort; root mean square over units, which do not add."""
    parts = []
    for unit in sorted(set(units)):
        k = [j for j, u in enumerate(units) if u == unit]
        parts.append(np.sum(wrong[:, k] ** 2) / np.sum(whole[:, k] ** 2))
    return float(np.sqrt(np.mean(parts)))


def main():
    job = json.load(sys.stdin)
    start = time.process_time()
    rows, efforts = [], []
    for path in job["fit"]:
        q, dq, ddq, tau, _ = prepare(job, path)
        Y = regressor(job, q, dq, ddq)
        rows.append(Y.reshape(-1, Y.shape[-1]))
        efforts.append(tau.reshape(-1))
    x = np.linalg.lstsq(np.concatenate(rows), np.concatenate(efforts), rcond=None)[0]
    seconds = time.process_time() - start
    q, dq, ddq, tau, raw = prepare(job, job["test"])
    predicted = regressor(job, q, dq, ddq) @ x
    units = [joint["kind"] for joint in job["joints"]]
    print(json.dumps({"prepared": relative(tau - predicted, tau, units),
                      "raw": relative(raw - predicted, raw, units), "seconds": seconds}))


if __name__ == "__main__":
    main()
