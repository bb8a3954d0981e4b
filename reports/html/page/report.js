/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
// Fills report.html in from the document of a report.  Texts become text nodes, never markup.
const report = (() => {
  const find = (id) => document.getElementById(id);
  const data = JSON.parse(find("report").textContent);
  const STEP = 100;  // Root causes and rows of a table that are shown at once.

  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined && text !== null) element.textContent = text;
    return element;
  };

  // Lines end between numbers: not behind the minus sign of an exponent.  Of what is long, as types with scales are, its
  // numbers are kept.
  const inBase16 = /(-?0x[0-9a-f]+(?:\.[0-9a-f]+)?p[-+]?[0-9]+)/;
  const keepWhole = (element) => {
    const parts = element.textContent.split(/( )/).flatMap((part) => part.length > 24 ? part.split(inBase16) : [part]);
    element.replaceChildren(...parts.map((part) => part === " " || part.length > 24 ? part : make("span", "whole", part)));
  };

  // A copy of a template with the fields of a row put in.
  const stamp = (id, row) => {
    const part = find(id).content.cloneNode(true);
    for (const element of part.querySelectorAll("[data-if]")) {
      if (!row[element.dataset.if]) element.remove();
    }
    for (const element of part.querySelectorAll("[data-text]")) element.textContent = row[element.dataset.text] ?? "";
    for (const element of part.querySelectorAll("[data-whole]")) keepWhole(element);
    return part;
  };

  // ---- Numbers ----------------------------------------------------------------------------------
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  const number = (value) => {
    if (value === null || value === undefined || value === "") return "";
    if (value === "Infinity") return "\u221e";
    if (Number.isInteger(value) && Math.abs(value) < 1e12) return grouped(value);
    if (typeof value !== "number") return value;
    const size = Math.abs(value);
    return size >= 1e6 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(3)));
  };
  // What is not all is not rounded up to it, nor what is something down to nothing.
  const percent = (part, whole) => {
    const share = 100 * part / whole;
    if (share > 0 && share < 0.1) return "< 0.1 %";
    if (share > 99 && share < 100) return "99 %";
    return (share < 10 && share % 1 !== 0 ? share.toFixed(1) : share.toFixed(0)) + " %";
  };
  const share = (part, whole) => whole > 0 ? percent(part, whole) + " of " + grouped(whole) : "";
  const minute = (time) => (time ?? "").slice(0, 16).replace("T", " ");

  // ---- Tables -----------------------------------------------------------------------------------
  const FORMS = {
    number: (value) => number(value),
    share: (value, row, heading) => share(value ?? 0, row[heading.dataset.of]),
    time: (value) => minute(value),
  };
  const addCell = (line, row, heading) => {
    const value = row[heading.dataset.from];
    const as = heading.dataset.as ?? "text";
    const cell = line.insertCell();
    const text = FORMS[as] ? FORMS[as](value, row, heading) : value ?? "";
    if (as === "code") cell.append(make("code", "", text));
    else cell.textContent = text;
    if (as === "number" || as === "share") {
      cell.className = "n";
      cell.dataset.v = as === "share" ? (value ?? 0) / (row[heading.dataset.of] || 1) : value ?? "";
    } else if (as === "wide") {
      cell.className = "wide";
    }
  };
  const addRows = (table, rows, from) => {
    const headings = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0] ?? table.createTBody();
    for (const row of rows.slice(from, from + STEP)) {
      const line = body.insertRow();
      for (const heading of headings) addCell(line, row, heading);
    }
    const left = rows.length - from - STEP;
    if (left <= 0) return;
    const button = make("button", "", "Show more: " + grouped(left) + " rows are left");
    button.type = "button";
    button.addEventListener("click", () => { button.remove(); addRows(table, rows, from + STEP); });
    table.parentElement.after(button);
  };
  const fillTable = (table) => {
    let rows = data[table.dataset.rows];
    if (table.dataset.last) rows = rows.slice(-table.dataset.last).reverse();
    const scroll = make("div", "scroll");
    table.replaceWith(scroll);
    scroll.append(table);
    for (const heading of table.tHead.rows[0].cells) {
      if (["number", "share"].includes(heading.dataset.as)) heading.className = "n";
    }
    addRows(table, rows, 0);
    if (rows.length === 0) scroll.replaceChildren(make("p", "note", "None."));
  };

  // ---- Root causes ------------------------------------------------------------------------------
  const findings = new Map(data.findings.map((finding) => [String(finding.id), finding]));
  const words = (row) => [row.severity, row.executor, row.who, row.diagnosis, row.state, row["in ops"],
    row["in algorithms"], row["in types"], row.hypothesis, row.known, row.class].join(" ").toLowerCase();
  const count = (n, what) => grouped(n) + " " + what + (n === 1 ? "" : "s");
  const causes = data.causes.map((row) => ({
    ...row, anchor: "cause-" + row.example, words: words(row),
    spread: [count(row.findings, "finding"), count(row.ops, "op"), count(row.types, "type")].join(", "),
    "wrong words": count(row["wrong elements"], "element") + " of " + grouped(row.elements) + " wrong",
    "pattern words": row.pattern ? "; " + row.pattern : "",
    "first words": minute(row["first seen"]), "last words": minute(row["last seen"]),
  }));

  const copy = async (button, text) => {
    const label = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {  // Not permitted here.
      button.textContent = "Not permitted";
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  };

  const showDetails = (body, row) => {
    const line = body.rows[1];
    if (line.cells[0].childNodes.length === 0) {
      const part = stamp("details", row);
      part.querySelector(".back").href = "#heat-" + row.op;
      const cases = part.querySelector(".cases tbody");
      for (const id of row.shown.split(" ")) {
        const finding = findings.get(id);
        if (finding) cases.append(stamp("case", finding));
      }
      for (const button of part.querySelectorAll(".replay button")) {
        button.addEventListener("click", () => copy(button, button.previousElementSibling.textContent));
      }
      line.cells[0].append(part);
    }
    line.hidden = !line.hidden;
  };

  const stampCause = (row) => {
    const body = stamp("cause", row).querySelector("tbody");
    body.id = row.anchor;
    const link = body.querySelector(".anchor");
    link.href = "#" + row.anchor;
    link.addEventListener("click", () => showDetails(body, row));
    const button = body.querySelector(".copy");
    button.textContent = row.script ? "Copy script" : "Copy replay";
    button.addEventListener("click", () => copy(button, row.script || row.replay));
    return body;
  };

  const chosen = () => {
    const wanted = Object.fromEntries(new FormData(find("filters")));
    const needles = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
    return causes.filter((row) => needles.every((needle) => row.words.includes(needle)) &&
      (!wanted.executor || row.executor === wanted.executor) &&
      (!wanted.severity || row.severity === wanted.severity) &&
      (!wanted.state || row.state.split(",")[0] === wanted.state));
  };
  const showCauses = (limit = STEP) => {
    const rows = chosen();
    const table = find("triage");
    for (const body of [...table.tBodies]) body.remove();
    for (const row of rows.slice(0, limit)) table.append(stampCause(row));
    find("shown").textContent = rows.length === causes.length ? count(rows.length, "root cause")
      : rows.length + " of " + count(causes.length, "root cause");
    const more = find("more");
    more.hidden = rows.length <= limit;
    more.textContent = "Show more: " + grouped(rows.length - limit) + " root causes are left";
    more.onclick = () => showCauses(limit + STEP);
  };

  const fillFilters = () => {
    const form = find("filters");
    for (const name of ["executor", "severity", "state"]) {
      for (const value of new Set(causes.map((row) => row[name].split(",")[0]))) {
        form.elements[name].add(new Option(value, value));
      }
    }
    form.addEventListener("input", () => showCauses());
    form.addEventListener("submit", (event) => event.preventDefault());
  };

  // A link to a root cause opens it, whatever is filtered or folded.
  const follow = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const place = causes.findIndex((row) => row.anchor === id);
    if (place >= 0) {
      find("filters").reset();
      if (!find(id)) showCauses(place + 1);
      const body = find(id);
      if (body.rows[1].hidden) showDetails(body, causes[place]);
    }
    const target = find(id);
    const fold = target?.closest("details.fold");
    if (fold) fold.open = true;
    target?.scrollIntoView();
  };

  // ---- The map ----------------------------------------------------------------------------------
  const SHADES = [[0, "h0"], [1, "h1"], [5, "h2"], [20, "h3"], [50, "h4"], [Infinity, "h5"]];
  const shade = (part) => SHADES.find(([limit]) => part <= limit)[1];
  const filterTo = (executor, op) => {
    const form = find("filters");
    form.reset();
    form.elements.executor.value = executor;
    if (form.elements.executor.value !== executor) form.elements.executor.value = "";
    form.elements.words.value = op;
    showCauses();
    find("causes").scrollIntoView();
  };
  const sum = (rows, name) => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  const addHeat = (line, rows, executor, op) => {
    const cell = line.insertCell();
    if (rows.length === 0) return;
    const wrong = sum(rows, "diverges") + sum(rows, "failed");
    const judged = wrong + sum(rows, "conforms");
    if (judged === 0) {
      cell.className = "hn";
      cell.textContent = sum(rows, "refused") > 0 ? "refused" : "nothing judged";
      return;
    }
    cell.className = shade(100 * wrong / judged);
    const text = share(wrong, judged);
    if (wrong === 0) { cell.textContent = text; return; }
    const link = make("a", "", text);
    link.href = "#causes";
    link.addEventListener("click", (event) => { event.preventDefault(); filterTo(executor, op); });
    cell.append(link);
  };
  const fillMap = () => {
    const rows = data["by-algorithm"];
    const executors = [...new Set(rows.map((row) => row.executor))].sort();
    const table = find("map");
    const head = table.createTHead().insertRow();
    head.append(make("th"), ...executors.map((name) => make("th", "", name)));
    const body = table.createTBody();
    const ops = Map.groupBy ? Map.groupBy(rows, (row) => row.op)
      : rows.reduce((map, row) => map.set(row.op, [...(map.get(row.op) ?? []), row]), new Map());
    for (const [op, ofOp] of ops) {
      const line = body.insertRow();
      line.id = "heat-" + op;
      line.append(make("th", "op", op));
      for (const name of executors) addHeat(line, ofOp.filter((row) => row.executor === name), name, op);
    }
  };

  // ---- Charts -----------------------------------------------------------------------------------
  const SVG = find("drawing").namespaceURI;
  const LOW = -24, HIGH = 8, HEIGHT = 50, STEP_X = 6;
  const draw = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const barOf = (row) => {
    if (row.to === 0) return 0;
    if (row.from === "Infinity") return HIGH - LOW + 2;
    const power = row.from > 0 ? Math.floor(Math.log2(row.from) + 0.01) : LOW;
    return 1 + Math.min(Math.max(power, LOW), HIGH) - LOW;
  };
  const chart = (op, rows) => {
    const bars = HIGH - LOW + 3;
    const all = new Array(bars).fill(0), wrong = new Array(bars).fill(0);
    for (const row of rows) {
      all[barOf(row)] += row["not wrong"] + row.wrong;
      wrong[barOf(row)] += row.wrong;
    }
    const total = all.reduce((a, b) => a + b, 0);
    const most = Math.max(...all);
    const figure = make("figure");
    figure.append(make("figcaption", "", op + ", " + grouped(total) + " cases"));
    const svg = draw("svg", { viewBox: `-4 -4 ${bars * STEP_X + 8} ${HEIGHT + 20}`, role: "img" });
    for (const [cases, style] of [[all, "f-good"], [wrong, "f-wrong"]]) {
      cases.forEach((n, i) => {
        if (n === 0) return;
        const height = Math.max(2, HEIGHT * Math.log1p(n) / Math.log1p(most));
        svg.append(draw("rect", { class: style, x: i * STEP_X, y: HEIGHT - height, width: STEP_X - 1, height }));
      });
    }
    const one = (1 - LOW) * STEP_X - 0.5;
    svg.append(draw("path", { class: "f-limit", d: `M${one} 0v${HEIGHT}` }));
    for (const [x, label, anchor] of [[0, "0", "start"], [one, "1", "middle"], [bars * STEP_X, "\u221e", "end"]]) {
      const text = draw("text", { x, y: HEIGHT + 12, "text-anchor": anchor });
      text.textContent = label;
      svg.append(text);
    }
    figure.append(svg);
    return figure;
  };
  const fillCharts = () => {
    const place = find("charts");
    if (place.childNodes.length > 0) return;
    const slack = data.histogram.filter((row) => row.measure === "slack");
    for (const executor of new Set(slack.map((row) => row.executor))) {
      const rows = slack.filter((row) => row.executor === executor);
      place.append(make("h3", "", executor));
      const grid = make("div", "grid");
      for (const op of new Set(rows.map((row) => row.op))) grid.append(chart(op, rows.filter((row) => row.op === op)));
      place.append(grid);
    }
    if (slack.length === 0) place.append(make("p", "note", "No error was measured."));
  };

  // ---- What is left -----------------------------------------------------------------------------
  const fillTexts = () => {
    const totals = data.totals[0];
    const source = data.source[0];
    find("headline").textContent = source.headline;
    find("summary").textContent = source.summary;
    find("source").textContent = source.database + (source.campaign ? ", campaign " + source.campaign : "") + ": " +
      grouped(totals.cases) + " cases on " + count(totals.executors, "executor") + " and " + count(totals.ops, "op") +
      (totals.started ? ", " + minute(totals.started) + " to " + minute(totals.ended) + " UTC" : "");
    for (const [name, label, style] of [["refused", "refused", "s-refused"], ["no-oracle", "undecided: no oracle", "s-open"],
      ["weak", "weak", "s-weak"], ["conforms", "conform", "s-good"], ["wrong", "wrong", "s-wrong"]]) {
      const item = make("li", "", label + " " + (share(totals[name], totals.cases) || "0"));
      item.prepend(make("i", style));
      find("outcomes").append(item);
    }
    find("power-words").textContent = source.power;
    find("tried").textContent = totals["constraints drawn"] + " of " + totals.constraints +
      " constraints of the specifications were put to the test; cases ran in " + count(totals.ops, "op") + ".";
  };
  // Of the kinds of an op and algorithm, the one that hides most.
  const addPower = () => {
    const median = new Map();
    for (const row of data.power) {
      const key = row.op + "\n" + row.algorithm;
      if (typeof row.median === "number") median.set(key, Math.max(median.get(key) ?? 0, row.median));
    }
    // Executor by executor, and only what conforms.
    data.accuracy = data["by-algorithm"].filter((row) => row.conforms > 0)
      .map((row) => ({ ...row, power: median.get(row.op + "\n" + row.algorithm), wrong: row.diverges + row.failed }))
      .sort((a, b) => a.executor < b.executor ? -1 : a.executor > b.executor ? 1 : 0);
  };

  const fill = () => {
    data.power = data.power.filter((row) => row.op !== "");  // That of all.
    addPower();
    fillTexts();
    fillFilters();
    showCauses();
    find("nothing").hidden = causes.length > 0;
    find("triage").hidden = find("filters").hidden = causes.length === 0;
    for (const table of document.querySelectorAll("table[data-rows]")) fillTable(table);
    fillMap();
    find("errors").addEventListener("toggle", fillCharts);
    addEventListener("hashchange", follow);
    follow();
  };
  return { fill, causes };
})();
addEventListener("DOMContentLoaded", report.fill);
