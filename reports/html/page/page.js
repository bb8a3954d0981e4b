/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
// Tables that sort, and a check of the page by itself, which tests read from
// <html data-check="...">.
(() => {
  const troubles = [];
  addEventListener("securitypolicyviolation", (event) => troubles.push("csp:" + event.violatedDirective));
  addEventListener("error", (event) => troubles.push("error:" + event.message));

  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.v ?? cell.textContent;
    return text !== "" && !isNaN(text) ? Number(text) : text === "Infinity" ? Infinity : text;
  };

  const sort = (heading) => {
    const body = heading.closest("table").tBodies[0];
    const column = heading.cellIndex;
    const sign = heading.dataset.sign === "-1" ? 1 : -1;
    heading.dataset.sign = String(sign);
    const rows = [...body.rows].sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      return x < y ? -sign : x > y ? sign : 0;
    });
    body.append(...rows);
  };

  const count = (selector) => document.querySelectorAll(selector).length;

  // Numbers stay on one line: where the window has no room for them they are smaller.
  const fit = () => {
    const root = document.documentElement;
    root.classList.remove("tight");
    if (root.scrollWidth > root.clientWidth) root.classList.add("tight");
  };

  // A report counts its root causes before they are filtered; other pages what is in them.
  const check = () => {
    const root = document.documentElement;
    const promised = root.dataset.promised;
    const found = typeof report === "object" ? "causes=" + report.causes.length
      : ["section", "table", "tr"].map((selector) => selector + "=" + count(selector)).join(" ");
    if (root.scrollWidth > root.clientWidth) troubles.push("wider-than-the-window");
    if (promised !== found) troubles.push("promised " + promised);
    root.dataset.check = (troubles.length === 0 ? "ok " : "bad " + troubles.join("; ") + " ") + found;
  };

  addEventListener("load", () => {
    for (const heading of document.querySelectorAll("table.sortable thead th")) {
      heading.classList.add("sorts");
      heading.addEventListener("click", () => sort(heading));
    }
    fit();
    addEventListener("resize", fit);
    setTimeout(check, 50);
  });
})();
