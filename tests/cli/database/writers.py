#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many writers on one database, killed at random moments: what was printed is stored.

    tests/cli/database/writers.py [ROUNDS [SEED]]      prints TAP; default 2 rounds, one of each kind

In each round two long writers share a database: a campaign and a run, or two runs.  Beside them come and
go short runs, waivers, queries, and a writer that uses Python's sqlite3.  All are killed (SIGKILL) and
begun again at random moments.  In the end nothing that any of them told may be missing: findings,
finished runs, waivers, commits of the Python writer, cases that a campaign reported; and the database
is sound.
"""
import collections
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

ASSAY = os.environ.get("ASSAY") or os.path.join(os.path.dirname(__file__), "../../../build/assay")
ASSAY = os.path.abspath(ASSAY)
SECONDS = 5.0  # Of a round, before all are asked to finish.
CANARY = ["--executor", "canary:drop_last_term", "--op", "stablehlo.reduce"]

VISITOR = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], timeout=60)
connection.execute("CREATE TABLE IF NOT EXISTS visitor (word TEXT)")
connection.commit()
for number in range(100000):
    connection.execute("INSERT INTO visitor VALUES (?)", (f"{sys.argv[2]}-{number}",))
    connection.commit()
    print(f"{sys.argv[2]}-{number}", flush=True)
    if number % 5 == 4:
        connection.close()
        time.sleep(0.05)
        connection = sqlite3.connect(sys.argv[1], timeout=60)
"""


class Process:
    """A process whose standard output and error go to files."""

    count = 0

    def __init__(self, folder, words):
        Process.count += 1
        self.stem = os.path.join(folder, f"process-{Process.count}")
        self.words = words
        with open(self.stem + ".out", "wb") as out, open(self.stem + ".err", "wb") as err:
            self.process = subprocess.Popen(words, stdout=out, stderr=err, stdin=subprocess.DEVNULL)

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def finish(self):
        """Asks for an end.  SIGINT would be ignored by what a shell has in its background."""
        if self.is_running():
            self.process.terminate()
        return self.process.wait(timeout=300)

    def lines(self, ending):
        """Whole lines: a kill may have cut the last one short."""
        with open(self.stem + ending, "rb") as file:
            return file.read().decode(errors="replace").split("\n")[:-1]


def finding_key(line):
    """EXECUTOR OP ALGORITHM TYPES of a line that tells a finding, or None."""
    found = re.match(r"(?:new: )?(\S+ \S+ .*?) +(?:diverges|failed) \(", line)
    return " ".join(found.group(1).split()) if found else None


class Round:
    def __init__(self, number, seed):
        self.random = random.Random(seed * 1000003 + number)
        self.folder = tempfile.mkdtemp(prefix="assay-writers-")
        self.out = os.path.join(self.folder, "c")
        self.database = os.path.join(self.out, "campaign.db")
        os.mkdir(self.out)
        self.has_campaign = number % 2 == 0
        self.started = []
        self.ended = []
        self.lost = []
        self.told = 0
        self.kills = 0
        self.cases_told = 0

    def seed(self):
        return str(self.random.randrange(1 << 32))

    def start(self, words):
        self.started.append(Process(self.folder, words))
        return self.started[-1]

    def start_campaign(self):
        return self.start([ASSAY, "campaign", *CANARY, "--jobs", "1", "--time", "1h", "--seed", "7",
                           "--name", "night", "--out", self.out])

    def start_run(self, *limit):
        return self.start([ASSAY, "run", *CANARY, "--seed", self.seed(), "--db", self.database, *limit])

    def start_beside(self):
        kind = self.random.randrange(5)
        if kind == 0:
            return self.start([ASSAY, "query", "totals", "--db", self.database])
        if kind == 1:
            number = self.random.randrange(1, 9)
            return self.start([ASSAY, "waive", str(number), "--db", self.database, "--reason", "test",
                               "--owner", "ann", "--expires", "2999-01-01"])
        if kind == 2:
            return self.start_run("--cases", "50")
        return self.start([sys.executable, "-c", VISITOR, self.database, self.seed()])

    def read_status(self):
        """The cases that the campaign last reported."""
        try:
            with open(os.path.join(self.out, "status.json")) as file:
                return json.load(file)["totals"]["cases"]
        except (OSError, ValueError, KeyError):
            return 0

    def end(self, process):
        self.ended.append(process)

    def run(self):
        starters = [self.start_campaign if self.has_campaign else lambda: self.start_run("--time", "1h"),
                    lambda: self.start_run("--time", "1h")]
        writers = [start() for start in starters]
        beside = [self.start_beside() for _ in range(2)]
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            time.sleep(self.random.uniform(0.05, 0.6))
            self.cases_told = max(self.cases_told, self.read_status())
            for pool, starts, odds in ((writers, starters, 6), (beside, [self.start_beside] * 2, 3)):
                for i, process in enumerate(pool):
                    if process.is_running() and self.random.randrange(odds) > 0:
                        continue
                    self.kills += process.is_running()
                    process.kill()
                    self.end(process)
                    pool[i] = starts[i]()
        for process in beside:
            process.kill()
        for process in writers:
            process.finish()
        for process in writers + beside:
            self.end(process)
        if self.has_campaign:  # What killed workers left is added by the next start.
            last = self.start_campaign()
            time.sleep(2)
            last.finish()
            self.end(last)

    def check_findings(self, connection):
        stored = collections.Counter(
            " ".join(row[0].split()) for row in connection.execute(
                "SELECT name || ' ' || op || ' ' || algorithm || ' ' || types FROM divergence"
                " JOIN executor USING (executor_id)"))
        for process in self.ended:
            keys = [finding_key(line) for line in process.lines(".out") + process.lines(".err")]
            told = collections.Counter(key for key in keys if key)
            self.told += sum(told.values())
            for key, count in told.items():
                if count > stored[key]:
                    self.lost.append(f"{count - stored[key]} of {count} findings of {key}")

    def check_runs(self, connection):
        """A run that said how many cases it had has them in the database."""
        stored = {}
        for command, cases in connection.execute(
                "SELECT command, (SELECT coalesce(sum(cases), 0) FROM counter WHERE counter.run_id = run.run_id)"
                " FROM run WHERE campaign = ''"):
            stored[tuple(re.findall(r"'([^']*)'", command))] = cases
        for process in self.ended:
            for line in process.lines(".out"):
                found = re.match(r"(\d+) cases in ", line)
                if found is None or process.words[1] != "run":
                    continue
                self.told += 1
                if stored.get(tuple(process.words[1:])) != int(found.group(1)):
                    self.lost.append(f"cases of {process.words[1:]}: {line}, stored "
                                     f"{stored.get(tuple(process.words[1:]))}")

    def check_waivers(self, connection):
        told = sum(line.startswith("waived until") for p in self.ended for line in p.lines(".out"))
        signatures = {line.split()[0] for p in self.ended if p.words[1] == "waive"
                      for line in p.lines(".out") if line.startswith("  ")}
        stored = {row[0] for row in connection.execute("SELECT signature FROM waiver")}
        self.told += told
        self.lost += [f"a waiver of {signature}" for signature in signatures - stored]

    def check_visitor(self, connection):
        told = {line for p in self.ended if p.words[0] == sys.executable for line in p.lines(".out")}
        try:
            stored = {row[0] for row in connection.execute("SELECT word FROM visitor")}
        except sqlite3.OperationalError:
            stored = set()
        self.told += len(told)
        if told - stored:
            self.lost.append(f"{len(told - stored)} of {len(told)} commits of the Python writer")

    def check_campaign(self, connection):
        if not self.has_campaign:
            return
        cases = connection.execute("SELECT coalesce(sum(cases), 0) FROM counter JOIN run USING (run_id)"
                                   " WHERE campaign = 'night'").fetchone()[0]
        if cases < self.cases_told:
            self.lost.append(f"cases of the campaign: {self.cases_told} told, {cases} stored")

    def check_words(self):
        for process in self.ended:
            for line in process.lines(".err"):
                if re.search("malformed|damaged|disk image|I/O error", line):
                    self.lost.append(f"{process.words[1]} said: {line}")

    def check(self):
        connection = sqlite3.connect(self.database, timeout=60)
        for sql, expected in (("PRAGMA integrity_check", [("ok",)]), ("PRAGMA foreign_key_check", [])):
            found = connection.execute(sql).fetchall()
            if found != expected:
                self.lost.append(f"{sql}: {found[:3]}")
        for check in (self.check_findings, self.check_runs, self.check_waivers, self.check_visitor,
                      self.check_campaign):
            check(connection)
        connection.close()
        self.check_words()


def main():
    arguments = sys.argv[1:]
    if arguments in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(arguments) > 2 or not all(word.isdigit() for word in arguments):
        print("usage: tests/cli/database/writers.py [ROUNDS [SEED]]", file=sys.stderr)
        return 2
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"1..{rounds}")
    print(f"# seed {seed}")
    bad = told = kills = 0
    for number in range(rounds):
        one = Round(number, seed)
        try:
            one.run()
            one.check()
        except (OSError, sqlite3.Error, subprocess.TimeoutExpired) as failure:
            one.lost.append(repr(failure))
        finally:
            for process in one.started:
                process.kill()
        kind = "a campaign and a run" if one.has_campaign else "two runs"
        print(f"{'not ok' if one.lost else 'ok'} {number + 1} - {kind}: {one.told} things told,"
              f" {one.kills} kills, {len(one.lost)} losses", flush=True)
        for line in one.lost[:10]:
            print(f"#   {line}")
        bad += bool(one.lost)
        told += one.told
        kills += one.kills
        if one.lost:
            print(f"#   kept: {one.folder}")
        else:
            shutil.rmtree(one.folder)
    print(f"# {rounds} rounds, {kills} kills, {told} things told, {bad} rounds with losses")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
