"use strict";
// Tables sort by a click on a heading, or Enter on it: numbers by data-order, text by its words; cells without a
// number stay last.
(() => {
  const order = (row, column) => {
    const text = row.cells[column].dataset.order;
    return text === undefined ? null : Number(text);
  };

  const compare = (column, direction) => (a, b) => {
    const [x, y] = [order(a, column), order(b, column)];
    if (x !== null && y !== null) return direction * (x - y);
    if (x !== null || y !== null) return x === null ? 1 : -1;
    const [p, q] = [a.cells[column].textContent, b.cells[column].textContent];
    return direction * p.localeCompare(q, "en", { numeric: true });
  };

  const sort = (table, heading) => {
    const ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare(heading.cellIndex, ascending ? 1 : -1)));
  };

  for (const button of document.querySelectorAll("thead button")) {
    const heading = button.closest("th");
    button.addEventListener("click", () => sort(heading.closest("table"), heading));
  }
})();
