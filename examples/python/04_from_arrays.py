"""A model from arrays in memory, without a study file: 04_from_arrays.py STUDY (where the arrays come from here)"""
import sys
import steelyard

study = steelyard.study(sys.argv[1])
first, *others = [study.log(run) for run in study.runs]
fresh = [(log["time"], log["position"], log["torque"]) for log in others]
result = steelyard.identify(study.robot, first["time"], first["position"], first["torque"], cutoff=10,
                            friction=["viscous", "coulomb", "offset"], validate=fresh, progress=True)
for link in result.links:
    print(f"{link['name']:8} {link['mass']:7.3f} kg")
print(f"{result.verdict['level']}: {100 * result.validation[-1]['residual']['prepared']:.2f} % of the effort is unexplained")
