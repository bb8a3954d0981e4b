#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The HTML report in a browser: its own script counts what is in the page and complains of errors, of
# violations of its policy and of being wider than the window.
. "$(dirname "$0")/../cli/checks.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  { echo "1..0 # SKIP no Chromium: apt-get install chromium"; exit 0; }

# open PAGE WIDTH SWITCH...: the page as it is once its script has run, in the file dom.
open() {
  page=$1
  width=$2
  shift 2
  HOME="$folder" timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu \
    --disable-dev-shm-usage --no-first-run --disable-background-networking \
    --disable-component-update --host-resolver-rules='MAP * ~NOTFOUND' \
    --user-data-dir="$folder/profile" --virtual-time-budget=2000 --enable-logging=stderr \
    --window-size="$width,900" "$@" --dump-dom "file://$folder/$page" >dom 2>log </dev/null
}

# What the page says of itself: the attribute of <html>, not the words in its script.
verdict() { sed -n 's/^<html [^>]*data-check="\([^"]*\)".*/\1/p' dom | head -1; }

# good PAGE WIDTH DESCRIPTION
good() {
  open "$1" "$2" --screenshot="$folder/light.png"
  verdict >out
  grep CONSOLE log >err
  grep -q '^ok causes=' out && ! grep -q CONSOLE log
  ok $? "$3"
}

"$ASSAY" run --executor canary:drop_last_term --executor model:pairwise --op stablehlo.reduce \
  --op byteir.softmax --cases 400 --db sample.db >out 2>err </dev/null
"$ASSAY" report --db sample.db --html sample.html
# Chromium makes no window narrower than 500 pixels: on a phone is a frame of 375 in one.
phone() { # PAGE DESCRIPTION
  echo "<!DOCTYPE html><iframe src='$1' style='width:375px;height:800px;border:0'></iframe>" >phone.html
  sed 's|^  const check = () => {|&console.log("width", document.documentElement.scrollWidth, "of", document.documentElement.clientWidth, "in", innerWidth);|' "$1" >framed.html
  sed -i 's|src=.[a-z]*.html.|src="framed.html"|' phone.html
  open phone.html 600
  sed -n 's/.*"width \([0-9]*\) of \([0-9]*\) in 375".*/\1 \2/p' log >out
  [ "$(cut -d ' ' -f 1 out)" = "$(cut -d ' ' -f 2 out)" ] && [ -s out ]
  ok $? "$2"
}
# breaks PAGE WIDTH: numbers in base 16 that the program lines have, and how many of them go over two lines.
breaks() {
  sed 's|^  const check = () => {|&const all = [0, 0]; for (const line of document.querySelectorAll(".program")) {'\
' const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT); for (let text; (text = walk.nextNode());) {'\
' for (const found of text.data.matchAll(/0x[0-9a-f.]+p[-+]?[0-9]+/g)) { const range = document.createRange();'\
' range.setStart(text, found.index); range.setEnd(text, found.index + found[0].length); all[0]++;'\
' all[1] += range.getClientRects().length > 1; } } } console.log("numbers", all[0], "broken", all[1]);|' "$1" >measured.html
  open measured.html "$2"
  sed -n 's/.*"numbers \([0-9]* broken [0-9]*\)".*/\1/p' log >out
}
good sample.html 1280 "a page of a run: on a desktop, without scrolling sideways"
# Long numbers take more room than there is: then they are smaller.
long=0.0009676534387822791312
sed "s|\"got\": \"[^\"]*\"|\"got\": \"$long\"|g; s|\"permitted\": \"[^\"]*\"|\"permitted\": \"$long .. $long or $long\"|g
  s|\"operands\": \"[^\"]*\"|\"operands\": \"$long\"|g; s|\"who\": \"[^\"]*\"|\"who\": \"stablehlo-interpreter 1.17.0\"|g" sample.html >long.html
grep -q "$long .. $long" long.html
good long.html 1280 "long numbers: on a desktop, without scrolling sideways"
sed 's|classList.add("tight")|classList.add("loose")|' long.html >loose.html
open loose.html 1280
verdict >out
like out "^bad wider-than-the-window" "long numbers: the page says if it is wider than the window"
grep -q 'class="sorts"\|class="n sorts"' dom
ok $? "tables sort"
anchor=$(sed -n 's/.*<tbody class="cause" id="\(cause-[0-9]*\)">.*/\1/p' dom | head -1)
[ -n "$anchor" ]
ok $? "a root cause has an anchor"
grep -q '1 finding, 1 op, 1 type<' dom && ! grep -q '[ >]1 \(types\|ops\|algorithms\|findings\)[,<]' dom
ok $? "one is not several"
like dom '<option value="canary:drop_last_term">' "an executor can be filtered for"
grep -q '<tr id="heat-stablehlo.reduce"><th class="op">stablehlo.reduce</th><td class="h[0-9]"><a href="#causes">[0-9.]* % of [0-9]*</a>' dom
ok $? "a cell of the map has a share, of how many, and leads to the root causes"
! grep -q '[0-9] %<' dom
ok $? "no percentage stands without its number of cases"
# Followed, a link opens the root cause, with its case.
sed 's|<head>|<head><script>location.hash = "'"$anchor"'"</script>|' sample.html >opened.html
open opened.html 1280
grep -q '<a class="back" href="#heat-' dom && grep -q '<button type="button" class="copy">Copy replay</button>' dom
ok $? "a link to a root cause opens it"
"$ASSAY" run --executor canary:drop_last_term --op byteir.layer_norm --op stablehlo.uniform_quantize \
  --op stablehlo.dot_general --cases 600 --db numbers.db >out 2>err </dev/null
"$ASSAY" report --db numbers.db --html numbers.html
for width in 1280 1100 580 500; do
  breaks numbers.html $width
  grep -q '^[1-9][0-9]* broken 0$' out
  ok $? "numbers of base 16 stay on a line of their own, in $width pixels"
done
sed 's/ data-whole>/>/g' numbers.html >loose.html
breaks loose.html 1240
grep -q '^[1-9][0-9]* broken [1-9]' out
ok $? "and would not otherwise"
phone sample.html "on a phone, 375 pixels wide, nothing is wider"
phone opened.html "nor with a root cause open"
open sample.html 1280 --blink-settings=preferredColorScheme=0 --screenshot="$folder/dark.png"
[ -s light.png ] && [ -s dark.png ] && ! cmp -s light.png dark.png
ok $? "dark is not light"

# All texts of the database become markup, as far as the page lets them.
sqlite3 sample.db "
  UPDATE executor SET name = '<script>document.title=1</script>' || executor_id,
    version = '\"><img src=x onerror=\"document.title=2\">', hardware = '</td></tr></table>';
  UPDATE divergence SET op = '<table><tr><td>' || op, algorithm = '</section></script>', types = '<svg>',
    cause = '<!--<script>', pattern = '</pre><script>throw 1</script>';
  UPDATE counter SET op = '<table>' || op, algorithm = '\"><b class=\"chip \">' || algorithm;
  UPDATE histogram SET op = '</svg><p>' || op;
  UPDATE reproducer SET got = '</code></div>', expected = '<!--', cause_words = '<style>*{';
  UPDATE run SET command = '<base href=http://example.com>', host = '</html>';"
ok $? "a hostile database"
"$ASSAY" report --db sample.db --html hostile.html
good hostile.html 1280 "it is text, not markup"
! grep -q '<title>[12]</title>' dom
ok $? "none of it runs"

"$ASSAY" doctor --executor model:pairwise --db empty.db >out 2>err </dev/null
"$ASSAY" report --db empty.db --html empty.html
good empty.html 1280 "the page of an empty database"

# The check can fail: a page with faults.
sed -e 's|<footer>|<div style="width:1900px">x</div><img src="http://127.0.0.1/x.png"><footer>|' \
  -e 's|data-promised="causes=|&9|' -e 's|</head>|<script>nothing()</script></head>|' \
  sample.html >faulty.html
open faulty.html 600
verdict >out
like out "^bad " "a faulty page is noticed"
like out "wider-than-the-window" "what is wider than the window"
like out "csp:img-src" "an image from elsewhere"
like out "promised causes=9" "a root cause that is missing"
like out "error:.*nothing" "an error in a script"
finish
