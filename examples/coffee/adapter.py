#!/usr/bin/env python3
"""A coffee machine and its adapter, for `causet test`: one JSON object a line, in and out.

    causet test walk examples/coffee/machine.aut --adapter 'python3 examples/coffee/adapter.py'

An argument chooses the machine: fine (the default), coffee-only, keeps-money, no-refund, hasty.
"""

import json
import random
import sys


class Machine:
    """Does what machine.aut says, unless its kind is another; what it cannot use it ignores."""

    def __init__(self, kind, see):
        self.kind = kind
        self.see = see
        self.chance = random.Random(1)
        self.reset()

    def reset(self):
        self.paid = False

    def do(self, label):
        if label == "?coin":
            self.paid = True
            if self.kind == "hasty":
                self.see("!coffee")
        elif label == "?button" and self.paid:
            self.paid = False
            self.serve()
        elif label == "?cancel" and self.paid:
            self.paid = False
            self.see("!tea" if self.kind == "no-refund" else "!refund")

    def serve(self):
        if self.kind == "keeps-money" and self.chance.random() < 0.5:
            return
        drinks = ["!coffee"] if self.kind == "coffee-only" else ["!coffee", "!tea"]
        self.see(self.chance.choice(drinks))


def say(message):
    print(json.dumps(message), flush=True)


def main():
    kind = sys.argv[1] if len(sys.argv) > 1 else "fine"
    if kind not in ("fine", "coffee-only", "keeps-money", "no-refund", "hasty"):
        say({"error": f"there is no machine of the kind {kind}"})
        return
    machine = Machine(kind, lambda label: say({"saw": label}))
    say({"ready": True})
    for line in sys.stdin:
        order = json.loads(line)
        if "do" in order:
            machine.do(order["do"])
        elif "reset" in order:
            machine.reset()
            say({"ready": True})


if __name__ == "__main__":
    main()
