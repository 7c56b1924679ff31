"""The batched regressor from Python against C++, 20 000 samples of the Panda: PYTHONPATH=build/python bench/python_bench.py"""
import pathlib
import time

import numpy as np
import steelyard

SAMPLES, REPEATS, LIMIT = 20000, 50, 1.3
robot = steelyard.read_robot(pathlib.Path(__file__).parent.parent / "robots/panda.yaml")
plan = steelyard.Plan(robot)
given = np.random.default_rng(1).normal(size=(3, SAMPLES, robot.dof))
orders = {"Fortran order, no copy": [np.asfortranarray(a) for a in given], "C order, copied": list(given)}
tile = plan.tile(SAMPLES)
ratios = {}
for name, (q, qd, qdd) in orders.items():
    least = float("inf")
    cpp = float("inf")
    for _ in range(REPEATS):  # by turns: a change of the processor's speed meets both
        begin = time.perf_counter()
        plan.evaluate(q, qd, qdd, tile)
        least = min(least, time.perf_counter() - begin)
        cpp = min(cpp, plan.evaluate_seconds(q, qd, qdd, 1))
    ratios[name] = least / cpp
    print(f"{name}: {1e9 * least / SAMPLES:.0f} ns a sample, C++ {1e9 * cpp / SAMPLES:.0f}, ratio {least / cpp:.2f}")
assert min(ratios.values()) <= LIMIT, "slower than 1.3 times C++"
