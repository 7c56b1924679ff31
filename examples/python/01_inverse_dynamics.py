"""Newton-Euler and the regressor give the same efforts: 01_inverse_dynamics.py ROBOT"""
import sys
import numpy as np
import steelyard

robot = steelyard.read_robot(sys.argv[1])
q, qd, qdd = np.random.default_rng(1).normal(size=(3, 100, robot.dof))
tau = robot.efforts(q, qd, qdd)
same = steelyard.Plan(robot, drives=False).regressor(q, qd, qdd) @ robot.parameters
print(f"{robot.name}: efforts up to {abs(tau).max():.4g}, Y pi differs by {abs(tau - same).max():.1e}")
