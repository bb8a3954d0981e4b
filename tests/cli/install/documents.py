# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that README.md and the pages of the manual print, and prints TAP.

    documents.py [--full] [--write] BUILD PAGE...

BUILD is the folder with the program.  A page's commands stand in fenced blocks, and what follows "sh" says who runs
them:

    ```sh            here, in the order of the page, in one folder of the page's own
    ```sh python     likewise, if there is a Python with numpy and ml_dtypes
    ```sh nightly    with --full alone: they want backends from PyPI, or their time
    ```sh manual     nobody here, as they want a service, a terminal or the network
    ```console       here; what follows "$ COMMAND" is what it prints, to the letter; a command may go on while a quotation is open
    ```python NAME   the contents of the file NAME, for the commands behind it; ```c NAME and ```op NAME likewise

Times become a second and counts small; with --full times become a minute and counts stay.  A command passes if it ends with 0 or 1 (divergences),
with 1 alone where "# exits with 1" is behind it: such a block runs as it stands.  Of all
of them, run or not, verbs and options must exist, and so must the programs of the checkout that they name.  A line in an
indented block that looks like a command is an error: it would be believed, and never run.

With --write pages have what commands print now in place of what they printed before: read the difference, and what is said around it."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
LIMITS = {"cases": 40, "graphs": 3, "inputs": 1, "runs": 100}
COMMAND = re.compile(r" {4,}(build/assay |\./harness/|\./tests/|cmake -|prove -|cc -)")
SECONDS = {False: 60, True: 1200}


class Report:
    def __init__(self):
        self.count = self.bad = 0

    def point(self, passes, description, details="", skip=""):
        self.count += 1
        self.bad += not passes
        print(f"{'ok' if passes else 'not ok'} {self.count} - {description.replace('#', '')}" + (f" # SKIP {skip}" if skip else ""))
        for line in details.strip().splitlines()[-8:] if not passes else []:
            print(f"# {line[:300]}")
        sys.stdout.flush()


def blocks_of(text):
    """(info, lines) of each fenced block, its indentation taken away; indented ones have the info None."""
    lines = iter(text.splitlines())
    for line in lines:
        fence = re.match(r"( *)```(.*)", line)
        if fence:
            body = []
            for line in lines:
                if line.strip() == "```":
                    break
                body.append(line.removeprefix(fence[1]))
            yield fence[2], body
        elif line.startswith("    "):
            yield None, [line]


def commands_of(lines):
    """Commands, those that a backslash continues as one."""
    return [line for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]


def shorten(command, full):
    if full:
        return re.sub(r"--time \d+[mh]", "--time 60s", command)
    command = re.sub(r"--time \d+\w", "--time 1s", command)
    command = re.sub(r"--n 1\.\.\d+", "--n 1..40", command)
    return re.sub(r"--(cases|graphs|inputs|runs) (\d+)",
                  lambda found: f"--{found[1]} {min(int(found[2]), LIMITS[found[1]])}", command)


def is_whole(command):
    """Whether no quotation is open at its end."""
    try:
        shlex.split(command, comments=True)
        return True
    except ValueError:
        return False


class Page:
    def __init__(self, path, build, report, python, full, writes):
        self.path, self.report, self.python, self.full, self.writes = path, report, python, full, writes
        self.name = os.path.basename(path)
        self.folder = tempfile.mkdtemp(prefix="assay-documents.")
        for name in ("harness", "tests", "corpus"):
            os.symlink(os.path.join(ROOT, name), os.path.join(self.folder, name))
        os.symlink(build, os.path.join(self.folder, "build"))
        self.environment = dict(os.environ, OMP_NUM_THREADS="1")
        if python:
            self.environment["PATH"] = os.path.dirname(python) + ":" + os.environ["PATH"]
        self.options = {}
        self.changes = []  # Dialogues as the page has them, and as they go now.

    def run(self, command):
        """The exit status and what was printed."""
        try:
            ended = subprocess.run(["bash", "-c", "set -o pipefail\n" + command], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   timeout=SECONDS[self.full], text=True, errors="replace")
            return ended.returncode, ended.stdout
        except subprocess.TimeoutExpired:
            return None, f"did not end in {SECONDS[self.full]} s"

    def check_words(self, command):
        """What is wrong with the verbs, options and programs of a command."""
        plain = re.sub(r"'[^']*'|#.*", " ", command)
        for program in re.findall(r"(?:\./)?((?:harness|tests)/[\w./-]+)", plain):
            if not os.path.exists(os.path.join(ROOT, program)):
                return f"there is no {program}"
        for verb, words in re.findall(r"build/assay (\S+)([^|;)]*)", plain):
            if verb == "help":
                continue
            if verb not in self.options:
                status, text = self.run(f"build/assay {verb} --help")
                self.options[verb] = text if status == 0 else None
            if self.options[verb] is None:
                return f"there is no verb {verb}"
            for option in re.findall(r" (--[a-z-]+)", words):
                if not re.search(rf" {option}[ =\n]", self.options[verb]):
                    return f"{verb} has no option {option}"
        return ""

    def check_command(self, command, info):
        wrong = self.check_words(command)
        if wrong or "manual" in info or ("nightly" in info and not self.full):
            self.report.point(not wrong, f"{self.name}: the words of {command}", wrong)
        elif "python" in info and not self.python:
            self.report.point(True, f"{self.name}: {command}", skip="no Python here has numpy and ml_dtypes")
        else:
            status, text = self.run(command if "whole" in info else shorten(command, self.full))
            expected = (1,) if "# exits with 1" in command else (0, 1)
            self.report.point(status in expected, f"{self.name}: {command}", f"exit status {status}\n{text}")

    def check_console(self, lines):
        """Commands with what they print."""
        for dialogue in "\n".join(lines).removeprefix("$ ").split("\n$ "):
            command, _, expected = dialogue.partition("\n")
            while expected and not is_whole(command):
                line, _, expected = expected.partition("\n")
                command += "\n" + line
            if "numpy" in command and not self.python:
                self.report.point(True, f"{self.name}: {command}", skip="no Python here has numpy and ml_dtypes")
                continue
            status, text = self.run(command)
            if self.writes and status in (0, 1) and text.rstrip() != expected.rstrip():
                self.changes.append((f"$ {command}\n{expected.rstrip()}\n", f"$ {command}\n{text.rstrip()}\n"))
                continue
            self.report.point(status in (0, 1) and text.rstrip() == expected.rstrip(), f"{self.name}: prints as it says: {command}",
                              f"exit status {status}\n{text}")

    def check_links(self, text):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", text)):
            place = os.path.join(os.path.dirname(self.path), target)
            if not os.path.exists(place):
                self.report.point(False, f"{self.name}: the link to {target}", "there is no such file")

    def check(self):
        with open(self.path, encoding="utf-8") as file:
            text = file.read()
        self.check_links(text)
        blocks = list(blocks_of(text))
        first = blocks[0][0] if blocks else None
        self.report.point(first is not None and first.startswith(("sh", "console")), f"{self.name}: opens with a command")
        for info, lines in blocks:
            if info is None:
                if COMMAND.match(lines[0]):
                    self.report.point(False, f"{self.name}: in a block that is not run: {lines[0].strip()}")
            elif info == "console":
                self.check_console(lines)
            elif info.startswith(("python ", "c ", "op ")):
                with open(os.path.join(self.folder, info.split()[1]), "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
            elif info.startswith("sh"):
                commands = commands_of(lines)
                # Fewer cases need not show what is told to diverge.
                whole = ["whole"] if any("# exits with 1" in command for command in commands) else []
                for command in commands:
                    self.check_command(command, info.split()[1:] + whole)
        shutil.rmtree(self.folder)
        for old, new in self.changes:
            self.report.point(old in text, f"{self.name}: written anew: {new.partition(chr(10))[0]}")
            text = text.replace(old, new)
        if self.changes:
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(text)


def find_python():
    """A Python with the modules that workers in Python need: any on the path, or of a worker that is installed."""
    installed = os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "assay/executors")
    names = sorted(os.listdir(installed)) if os.path.isdir(installed) else []
    for python in ["python3"] + [os.path.join(installed, name, "bin/python") for name in names]:
        path = shutil.which(python)
        if path and subprocess.run([path, "-c", "import numpy, ml_dtypes"], stderr=subprocess.DEVNULL).returncode == 0:
            return path
    return None


def main():
    arguments = sys.argv[1:]
    full, writes = "--full" in arguments, "--write" in arguments
    paths = [argument for argument in arguments if argument not in ("--full", "--write")]
    if len(paths) < 2:
        print("usage: documents.py [--full] [--write] BUILD PAGE...", file=sys.stderr)
        return 2
    report = Report()
    python = find_python()
    for path in paths[1:]:
        Page(os.path.abspath(path), os.path.abspath(paths[0]), report, python, full, writes).check()
    print(f"1..{report.count}")
    return report.bad > 0


sys.exit(main())
