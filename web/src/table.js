// Tables that sort by a click on a heading, or Enter on it. Cells without an order stay last.
import { h, count, figure, percent } from "./dom.js";

// Columns: { title, hint, number: true } or plain titles. Cells: nodes or text, or { show, order }.
export function table(name, columns, rows, options = {}) {
  const body = h("tbody", {});
  const entries = rows.map((cells, position) => ({ position, orders: cells.map(order_of), row: row_of(cells, columns) }));
  body.append(...entries.map(({ row }) => row));
  const heads = columns.map((column, i) => {
    const { title, hint, number } = typeof column === "string" ? { title: column } : column;
    const button = h("button", { type: "button", title: hint }, title);
    const head = h("th", { scope: "col", class: number ? "n" : "" }, button);
    button.addEventListener("click", () => sort(head, i));
    return head;
  });
  const sort = (head, column) => {
    const ascending = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    entries.sort((a, b) => compare(a.orders[column], b.orders[column], ascending ? 1 : -1) || a.position - b.position);
    body.append(...entries.map(({ row }) => row));
  };
  return h("div", { class: "scroll" + (options.tall ? " tall" : ""), tabindex: 0, role: "region", "aria-label": name },
    h("table", { "aria-label": name }, h("thead", {}, h("tr", {}, heads)), body));
}

function order_of(cell) {
  if (cell === null || cell === undefined || cell === false) return null;
  if (cell instanceof Node) return cell.textContent;
  return typeof cell === "object" ? (cell.order ?? null) : cell;
}

function row_of(cells, columns) {
  return h("tr", {}, cells.map((cell, i) => {
    const shown = cell && typeof cell === "object" && !(cell instanceof Node) ? cell.show : cell;
    const order = order_of(cell);
    return h("td", { class: columns[i].number ? "n" : "", "data-order": typeof order === "number" ? order : null }, shown ?? "–");
  }));
}

function compare(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return direction * (a - b);
  return direction * String(a).localeCompare(String(b), "en", { numeric: true });
}

const known = (number) => number !== undefined && number !== null;
export const number_cell = (number, digits = 4) => (known(number) ? { show: figure(number, digits), order: number } : null);
export const percent_cell = (share, digits) => (known(share) ? { show: percent(share, digits), order: share } : null);
export const code_cell = (text) => ({ show: h("code", {}, text), order: text });
export const count_cell = (number) => (known(number) ? { show: count(number), order: number } : null);
