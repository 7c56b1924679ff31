// Elements without markup: everything a user typed becomes a text node or an attribute, never HTML.

const svg_names = new Set(["svg", "path", "rect", "circle", "line", "g", "text", "title", "polygon", "polyline"]);

// h("p", { class: "hint", onclick }, "text", element, [more]); null and false are left out. `style` is an object.
export function h(name, props, ...children) {
  const is_svg = svg_names.has(name) || name === "svg:title";
  const made = is_svg
    ? document.createElementNS("http://www.w3.org/2000/svg", name.replace("svg:", ""))
    : document.createElement(name);
  for (const [key, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [k, v] of Object.entries(value)) made.style.setProperty(k, v);
    else if (key === "data") Object.assign(made.dataset, value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

export function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const superscript = (exponent) =>
  [...String(exponent)].map((letter) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(letter)]).join("");

const minus = (text) => text.replace(/^-/, "−");

// `digits` significant digits: 0.9896, −12.35, 1.50·10⁻⁷.
export function figure(number, digits = 4) {
  if (number === undefined || number === null || !Number.isFinite(number)) return "–";
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e-3 && size < 1e6) {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return minus(number.toFixed(Math.min(decimals, 12)));
  }
  const [mantissa, exponent] = number.toExponential(digits - 1).split("e");
  return minus(mantissa) + "·10" + superscript(Number(exponent));
}

export const percent = (share, digits = 3) =>
  share === undefined || share === null ? "–" : figure(100 * share, digits) + "\u202f%";

export const count = (number) => minus(String(number)).replace(/\B(?=(\d{3})+$)/g, "\u202f");

export const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

export function section(id, title, ...content) {
  return h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), content);
}

export const hint = (...text) => h("p", { class: "hint" }, text);

export const tag = (text, style = "") => h("span", { class: ("tag " + style).trim() }, text);

export function facts(pairs) {
  return h("dl", { class: "facts" },
    pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

// A bar from 0 to `largest`.
export function bar(value, largest, style = "") {
  const share = largest > 0 && value > 0 ? Math.min(1, value / largest) : 0;
  return h("svg", { class: ("bar " + style).trim(), viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    h("rect", { class: "track", width: 100, height: 8, rx: 1.5 }),
    h("rect", { class: "part", width: (100 * share).toFixed(2), height: 8, rx: 1.5 }));
}

// Buttons of which one is pressed.
export function choice(label, names, start, choose) {
  const buttons = names.map((name, i) =>
    h("button", { type: "button", "aria-pressed": String(i === start), onclick: () => press(i) }, name));
  const press = (number) => {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    choose(number);
  };
  const group = h("div", { class: "choice", role: "group", "aria-label": label }, buttons);
  group.press = press;
  return group;
}
