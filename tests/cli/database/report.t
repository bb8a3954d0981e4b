#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay report and assay query on a database that the program wrote itself: formats that other programs
# read, campaigns, folders in place of files, bad usage.
. "$(dirname "$0")/../checks.sh"

# A file's first argument to python3 -c is sys.argv[1].
python() { # PROGRAM FILE DESCRIPTION
  python3 -c "$1" "$2" >out 2>err
  ok $? "$3"
}

mkdir night
run 1 "a run writes into the folder of a campaign" run --executor canary:drop_last_term \
  --executor model:pairwise --op stablehlo.reduce --cases 300 --seed 3 --db night
[ -f night/campaign.db ]
ok $? "--db DIR is DIR/campaign.db"
run 1 "a second run" run --executor canary:drop_last_term --op stablehlo.dot_general --cases 200 \
  --seed 4 --db night/campaign.db

echo 'zero-sign' > order
run 0 "another order of severities" query findings --db night --severity order --format csv
like out "^id,severity," "severities are a column"
printf 'zero-sign\nzero\n' > order
run 2 "what is no severity" report --db night --severity order
like err "order:2: no severity \"zero\"; write one of these on a line: wrong-value-ordinary, " "where it is, and what to do"
run 2 "no such file" query findings --db night --severity nowhere
like err "cannot read the order of severities: .*nowhere" "which file"

cat >mine.def <<'END'
known mine
executor canary:drop_last_term
op stablehlo.*
class *
title a planted fault
mended in no release
END
run 0 "a known cause of one's own" report --db night --known mine.def
like out "known: a planted fault; mended in" "findings are told with it"
like out "^canary:drop_last_term, mine: a planted fault" "and it has its own lines"
run 0 "a known cause as a query" query known --db night --known mine.def --format csv
like out "^mine,canary:drop_last_term," "a row for each that findings match"
echo 'titel x' >>mine.def
run 2 "what is no entry" report --db night --known mine.def
like err "mine.def:7: no word \"titel\"; a line begins with known, or one of executor, " "where it is, and what to do"

run 0 "text" report --db night
like out "^wrong-value.*canary:drop_last_term" "what is new is told with its severity"
like out "^VACUOUS: NOTHING COULD HAVE FAILED HERE" "vacuous results have their own heading"
first=$(grep -n -e "^[A-Z][A-Z]" out | head -1)
[ "${first#*:}" = "WHAT IS WRONG, the gravest first" ]
ok $? "what is wrong comes first"
like out "^NEW in campaign run 2: " "the last run is the last campaign"
replay=$(grep -m 1 -e "^    assay replay .* --executor 'canary:drop_last_term'" out)
[ -n "$replay" ]
ok $? "a finding comes with a command"
eval "\"$ASSAY\" ${replay#*assay }" >out 2>err </dev/null
[ $? -eq 1 ]
ok $? "the command shows the divergence again"

"$ASSAY" report --db night --format markdown >markdown.md
"$ASSAY" report --db night >out
sed -n 's/^## //p' markdown.md >headings
[ "$(head -1 headings)" = "WHAT IS WRONG, the gravest first" ] && grep -c -x -f headings out | grep -q -x "$(wc -l <headings)"
ok $? "Markdown has the same sections"
like markdown.md "^| wrong-value.*canary:drop_last_term" "and a row for each root cause"
head -2 out | tail -1 >sentence
grep -q -x -F -f sentence markdown.md
ok $? "and the same sentence"
like sentence "^run 2 found [0-9]* new root causes, the gravest: a wrong finite number for .* (canary:drop_last_term" "which says what is new, and how bad"

run 0 "JSON" report --db night --format json
parses_as_json out "one document"
mv out format.json
run 0 "JSON by its short name" report --db night --json
cmp -s out format.json
ok $? "it is the same document"
run 2 "two formats" report --db night --json --format tap
like err "^assay: --json means --format json; leave out --format tap" "what to do"
run 0 "JSON of a query" query totals --db night --json
parses_as_json out "it is JSON"
mv format.json out
[ "$(json out '$d->{totals}[0]{runs}')" = 2 ]
ok $? "it counts the runs"
[ "$(json out '$d->{totals}[0]{findings} == @{$d->{findings}}')" = 1 ]
ok $? "it has all findings"

run 0 "TAP" report --db night --format tap
mv out report.tap
prove --exec cat report.tap >out 2>err
[ $? -eq 1 ]
ok $? "prove reads it and fails"
run 0 "TAP of what conforms" run --executor model:pairwise --op stablehlo.reduce --cases 100 --db good
run 0 "TAP of what conforms" report --db good --format tap
mv out good.tap
prove --exec cat good.tap >out 2>err
ok $? "prove reads it and passes"

run 0 "JUnit" report --db night --format junit
mv out junit.xml
python '
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
suites = root.findall("testsuite")
assert [suite.get("name") for suite in suites] == ["canary:drop_last_term", "model:pairwise"]
for suite in suites + [root]:
    cases = list(suite.iter("testcase"))
    assert int(suite.get("tests")) == len(cases)
    assert int(suite.get("failures")) == len(list(suite.iter("failure")))
    assert int(suite.get("skipped")) == len(list(suite.iter("skipped")))
assert not list(suites[1].iter("failure")) and list(suites[0].iter("failure"))
' junit.xml "its counts are those of its elements"

run 0 "SARIF" report --db night --sarif night.sarif
[ ! -s out ]
ok $? "nothing on standard output"
# What https://docs.oasis-open.org/sarif/sarif/v2.1.0 requires of the objects that are in it, and no other property.
python '
import json, sys
log = json.load(open(sys.argv[1]))
assert log["version"] == "2.1.0" and set(log) == {"$schema", "version", "runs"}
[run] = log["runs"]
driver = run["tool"]["driver"]
assert driver["name"] == "Assay" and len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
rules = {rule["id"] for rule in driver["rules"]}
assert run["results"]
for result in run["results"]:
    assert result["ruleId"] in rules and result["message"]["text"]
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["baselineState"] in ("new", "unchanged", "updated", "absent")
    assert all(isinstance(text, str) for text in result["partialFingerprints"].values())
    for location in result["locations"]:
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "campaign.db"
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert all(place["name"] for place in location["logicalLocations"])
    assert set(result) <= {"ruleId", "level", "baselineState", "message", "locations", "partialFingerprints",
                           "properties", "suppressions"}
prints = [result["partialFingerprints"]["rootCause/v1"] for result in run["results"]]
assert len(set(prints)) == len(prints)
assert {result["baselineState"] for result in run["results"]} == {"new", "unchanged"}
' night.sarif "it is what the standard requires, a result for each root cause"
run 2 "SARIF onto the database" report --db night --sarif night/campaign.db
like err "is the database itself" "what is wrong"

run 0 "HTML" report --db night --html page.html
[ ! -s out ]
ok $? "nothing on standard output"
python '
import sys, html.parser
VOID = {"meta", "wbr", "input"}
class Parser(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links = [], set(), []
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert "src" not in attributes and "on" not in [name[:2] for name in attributes], attributes
        if "id" in attributes: self.ids.add(attributes["id"])
        if "href" in attributes: self.links.append(attributes["href"])
        if tag not in VOID: self.open.append(tag)
    def handle_startendtag(self, tag, attributes): pass
    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.getpos())
parser = Parser()
parser.feed(open(sys.argv[1], encoding="utf-8").read())
assert not parser.open, parser.open
assert parser.links and all(link[0] == "#" and link[1:] in parser.ids for link in parser.links)
' page.html "elements nest, links lead into the page, nothing is loaded"
run 0 "HTML on standard output" report --db night --html -
cmp -s out page.html
ok $? "the same page: no clock is in it"

run 0 "one campaign" report --db night --campaign "run 1" --format json
[ "$(json out '$d->{totals}[0]{runs}')" = 1 ]
ok $? "it counts that run alone"
run 2 "a campaign that is not there" report --db night --campaign "run 9"
like err "it has run 2, run 1" "the campaigns that are there are named"

run 0 "a query of one campaign" query by-op --db night --campaign "run 2" --format csv
unlike out "stablehlo.reduce" "it has what ran then alone"
echo "SELECT count(*) AS runs FROM run" >question.sql
"$ASSAY" query --sql - --db night --format csv <question.sql >out 2>err
like out "^2" "SQL from standard input"
run 0 "a description for Datasette" query --datasette --db night
parses_as_json out "metadata.json"
[ "$(json out 'scalar keys %{$d->{databases}{campaign}{queries}}')" = "$("$ASSAY" query --list | wc -l)" ]
ok $? "it has all queries, under the name of the database"
run 2 "SQL that writes" query --sql "DELETE FROM run" --db night
run 2 "SQL that makes a temporary table" query --sql "CREATE TEMP TABLE t (x)" --db night

# ---- A question without an end -------------------------------------------------------------------------
# Nothing comes out while it counts.
endless="WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
run 2 "SQL that never ends" query --sql "$endless" --timeout 300ms --db night
like err "no answer after 0.3 s; make it cheaper, or give it more time with --timeout TIME" "what to type"
perl -e '
  my @command = @ARGV;
  my $child = fork() // die;
  if ($child == 0) { $SIG{INT} = "DEFAULT"; exec @command or die }
  sleep 1;
  kill "INT", $child;
  waitpid $child, 0;
  exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' "$ASSAY" query --sql "$endless" --db night >out 2>err
[ $? -eq 2 ]
ok $? "Ctrl-C ends it: exit code 2"
like err "query: interrupted" "and says so"
run 2 "no time at all" query totals --timeout soon --db night

run 2 "no database" report
like err "add --db FILE" "what to do"
run 2 "no such format" report --db night --format pdf
like err "write text, markdown, json, tap, junit, sarif or html" "the formats are named"
run 2 "--html with another format" report --db night --html x.html --format tap
mkdir empty
run 2 "a folder without a database" report --db empty
like err "empty/campaign.db" "the file that is missing is named"
run 3 "a page that cannot be written" report --db night --html empty/no/page.html
like err "cannot write \"empty/no/page.html\"" "where it should have gone"
if [ -c /dev/full ]; then
  run 3 "a page onto a full disk" report --db night --html /dev/full
  [ -c /dev/full ]
  ok $? "what is no file is written into, not replaced"
fi
finish
