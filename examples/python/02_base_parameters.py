"""What motions can show of a robot: 02_base_parameters.py ROBOT"""
import sys
import steelyard

base = steelyard.base_parameters(steelyard.read_robot(sys.argv[1]))
for parameter in base.base:
    print(f"{parameter.lead:6} {parameter.expression}")
print(f"{len(base)} of {len(base.columns)} columns are identifiable")
