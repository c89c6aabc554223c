"""``python -m engine.confinement POLICY MODULE [ARGUMENT...]``: runs a module as the main one, confined.

POLICY is the JSON from ``engine.confinement.command``. Nothing of the module is imported before the policy applies.
"""

import json
import runpy
import sys

from engine.confinement import Policy, apply


def main() -> None:
    """Applies the policy, then runs the module."""
    given = json.loads(sys.argv[1])
    apply(Policy(**given | {"read": tuple(given["read"]), "write": tuple(given["write"])}))
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
