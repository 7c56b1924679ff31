#!/usr/bin/env python3
"""Parameters of the Panda from q, dq, ddq, tau with NumPy, as one writes it in an afternoon.

    numpy_identify.py FOLDER [--loop SAMPLES]

FOLDER holds samples.bin (float64 [4][7][N]: q, dq, ddq, tau) and columns.txt (names of the wanted columns).
The regressor is the recursive Newton-Euler one, vectorised over samples; with --loop also sample by sample, on the
first so many samples. Printed: seconds of processor time on one thread, then the parameters. Reading is not timed.
"""
import os
import sys
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np  # noqa: E402  (after the number of threads)

# Modified DH: a, alpha, d.
DH = [(0, 0, 0.333), (0, -np.pi / 2, 0), (0, np.pi / 2, 0.316), (0.0825, np.pi / 2, 0),
      (-0.0825, -np.pi / 2, 0.384), (0, np.pi / 2, 0), (0.088, np.pi / 2, 0)]
GRAVITY = 9.81
LINK = ["m", "mx", "my", "mz", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz"]
DRIVE = ["fv", "fc", "fo"]
ALL = [p + str(j + 1) for j in range(7) for p in LINK] + [p + str(j + 1) for j in range(7) for p in DRIVE]


def rotations(alpha, q):
    ca, sa, c, s = np.cos(alpha), np.sin(alpha), np.cos(q), np.sin(q)
    R = np.zeros(q.shape + (3, 3))
    R[..., 0, 0], R[..., 0, 1] = c, -s
    R[..., 1, 0], R[..., 1, 1], R[..., 1, 2] = s * ca, c * ca, -sa
    R[..., 2, 0], R[..., 2, 1], R[..., 2, 2] = s * sa, c * sa, ca
    return R


def skew(v):
    S = np.zeros(v.shape + (3,))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    S[..., 1, 0], S[..., 2, 0], S[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return S


def inertia_columns(w):
    """L(w) with J w = L(w) (Jxx, Jxy, Jxz, Jyy, Jyz, Jzz)."""
    L = np.zeros(w.shape + (6,))
    x, y, z = w[..., 0], w[..., 1], w[..., 2]
    L[..., 0, 0], L[..., 0, 1], L[..., 0, 2] = x, y, z
    L[..., 1, 1], L[..., 1, 3], L[..., 1, 4] = x, y, z
    L[..., 2, 2], L[..., 2, 4], L[..., 2, 5] = x, y, z
    return L


def regressor(q, dq, ddq):
    """Y for any shape of samples: q is [..., 7], the result [..., 7, 91]."""
    shape = q.shape[:-1]
    w, dw = np.zeros(shape + (3,)), np.zeros(shape + (3,))
    acc = np.zeros(shape + (3,))
    acc[..., 2] = GRAVITY
    frames, forces, moments = [], [], []
    for j, (a, alpha, d) in enumerate(DH):
        R = rotations(alpha, q[..., j])
        p = np.array([a, -np.sin(alpha) * d, np.cos(alpha) * d])
        Rt = np.swapaxes(R, -1, -2)
        acc = (Rt @ (acc + np.cross(dw, p) + np.cross(w, np.cross(w, p)))[..., None])[..., 0]
        w, dw = (Rt @ w[..., None])[..., 0], (Rt @ dw[..., None])[..., 0]
        dw[..., 0] += w[..., 1] * dq[..., j]
        dw[..., 1] -= w[..., 0] * dq[..., j]
        dw[..., 2] += ddq[..., j]
        w[..., 2] += dq[..., j]
        Sw = skew(w)
        force, moment = np.zeros(shape + (3, 10)), np.zeros(shape + (3, 10))
        force[..., 0] = acc
        force[..., 1:4] = skew(dw) + Sw @ Sw
        moment[..., 1:4] = -skew(acc)
        moment[..., 4:] = inertia_columns(dw) + Sw @ inertia_columns(w)
        frames.append((R, p))
        forces.append(force)
        moments.append(moment)
    Y = np.zeros(shape + (7, 91))
    force, moment = np.zeros(shape + (3, 0)), np.zeros(shape + (3, 0))
    for j in reversed(range(7)):
        force = np.concatenate([forces[j], force], axis=-1)  # of all links that joint j carries
        moment = np.concatenate([moments[j], moment], axis=-1)
        Y[..., j, 10 * j:70] = moment[..., 2, :]
        R, p = frames[j]
        force = R @ force
        moment = R @ moment + skew(p) @ force
    for j in range(7):
        Y[..., j, 70 + 3 * j] = dq[..., j]
        Y[..., j, 71 + 3 * j] = np.sign(dq[..., j])
        Y[..., j, 72 + 3 * j] = 1
    return Y


def solve(Y, tau):
    return np.linalg.lstsq(Y.reshape(-1, Y.shape[-1]), tau.reshape(-1), rcond=None)[0]


def vectorised(q, dq, ddq, tau, wanted):
    return solve(regressor(q, dq, ddq)[..., wanted], tau)


def sample_by_sample(q, dq, ddq, tau, wanted):
    Y = np.zeros((len(q), 7, len(wanted)))
    for s in range(len(q)):
        Y[s] = regressor(q[s], dq[s], ddq[s])[:, wanted]
    return solve(Y, tau)


def timed(method, samples, wanted):
    start = time.process_time()
    x = method(*samples, wanted)
    return time.process_time() - start, x


def main(arguments):
    folder = arguments[0]
    data = np.fromfile(os.path.join(folder, "samples.bin")).reshape(4, 7, -1)
    samples = [np.ascontiguousarray(channel.T) for channel in data]
    with open(os.path.join(folder, "columns.txt")) as file:
        names = file.read().split()
    wanted = [ALL.index(name) for name in names]
    vectorised(*[channel[:100] for channel in samples], wanted)  # libraries are loaded on first use
    seconds, x = timed(vectorised, samples, wanted)
    print("vectorised %.9f" % seconds)
    if "--loop" in arguments:
        count = min(int(arguments[arguments.index("--loop") + 1]), len(samples[0]))
        seconds, _ = timed(sample_by_sample, [channel[:count] for channel in samples], wanted)
        print("loop %.9f" % (seconds * len(samples[0]) / count))
    for name, value in zip(names, x):
        print("%s %.17g" % (name, value))


if __name__ == "__main__":
    main(sys.argv[1:])
