"""A model from logs, and how far it can be trusted: 03_identify.py STUDY"""
import sys
import steelyard

study = steelyard.study(sys.argv[1])
for finding in steelyard.check(study):
    print(finding["severity"], finding["code"], finding["joint"], finding["evidence"])
result = steelyard.run(study, threads=2)
for name, interval in result.intervals().items():
    print(f"{name:6} {result.values()[name]:10.5f}  {interval}")
for run in result.validation:
    print(f"run '{run['run']}': {100 * run['residual']['prepared']:.2f} % of the effort is unexplained")
print(result.verdict["level"])
