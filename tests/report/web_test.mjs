// Uses the page of web/ as a person would: web_test.mjs PACKAGES CHROMIUM FOLDER, with the pages of write_samples in FOLDER.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { canvas_pixels, colours_of, count_pixels, fits, near, open_browser, open_page } from "./browser.mjs";
import { apart, contrast } from "./colours.mjs";

const [, , packages, chromium, folder] = process.argv;
const failures = [];
const expect = (truth, text) => {
  if (!truth) failures.push(text);
};
const measured = [0xb3, 0xbc, 0xc8], predicted = [0x00, 0x72, 0xb2], residual = [0xd5, 0x5e, 0x00];
const ids = ["verdict", "figures", "robot", "findings", "curves", "joints", "validation", "forecast", "links", "engines", "spectra", "excitation", "base", "drives", "provenance"];

const browser = await open_browser(packages, chromium);

async function every_section(page, name) {
  for (const id of ids) expect((await page.locator("#" + id).count()) === 1, `${name}: no #${id}`);
  expect((await page.locator("#panels figure").count()) === 7, `${name}: seven panels`);
  expect(await fits(page, 1280), `${name}: wider than the window`);
}

// Top of the measured curve in a panel: share of the plot's width, and pixels below the plot's upper edge.
async function peak_of(page, panel) {
  const plot = `#panels figure:nth-child(${panel}) .plot:first-of-type`;
  const box = await page.evaluate((plot) => {
    const canvas = document.querySelector(plot + " canvas").getBoundingClientRect();
    const over = document.querySelector(plot + " .u-over").getBoundingClientRect();
    return { left: over.left - canvas.left, top: over.top - canvas.top, width: over.width };
  }, plot);
  const pixels = await canvas_pixels(page, plot + " canvas");
  const wanted = near(measured, 2);
  for (let i = 0; i < pixels.data.length; i += 4) {
    if (!wanted(...pixels.data.subarray(i, i + 4))) continue;
    const [x, y] = [(i / 4) % pixels.width, Math.floor(i / 4 / pixels.width)];
    return { at: (x - box.left) / box.width, below: y - box.top };
  }
  return { at: -1, below: -1 };
}

const view = (page) => page.evaluate(() => document.getElementById("panels").dataset.view.split(" ").map(Number));

async function curves(page) {
  for (let panel = 1; panel <= 7; ++panel) {
    const effort = await canvas_pixels(page, `#panels figure:nth-child(${panel}) canvas`, 0);
    const below = await canvas_pixels(page, `#panels figure:nth-child(${panel}) canvas`, 1);
    // A line across more than 400 columns.
    expect(count_pixels(effort, near(predicted)) > 500, `panel ${panel}: predicted is drawn`);
    expect(count_pixels(effort, near(measured, 2)) > 300, `panel ${panel}: measured is drawn`);
    expect(count_pixels(below, near(residual)) > 2000, `panel ${panel}: the residual is drawn`);
    expect(count_pixels(effort, near(predicted)) < 0.5 * effort.width * effort.height, `panel ${panel}: not all is curve`);
  }
  // A line 3 pixels wide on 520: 0.003 of the width. Samples are 20 ms apart, 0.001.
  const { at, below } = await peak_of(page, 3);
  expect(Math.abs(at - 6.5 / 19.98) < 0.006, `peak of joint 3 at ${at * 19.98} s instead of 6.5`);
  expect(below >= -2 && below < 30, `the peak is not cut off: ${below} pixels below the edge`);
}

async function drag(page, panel, from, to) {
  const over = page.locator(`#panels figure:nth-child(${panel}) .u-over`).first();
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + from * box.width, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + (from + to) / 2 * box.width, box.y + 60, { steps: 3 });
  await page.mouse.move(box.x + to * box.width, box.y + 60, { steps: 3 });
  await page.mouse.up();
  await page.waitForTimeout(100);
}

async function linked_zoom(page) {
  const images = () => page.evaluate(() => [...document.querySelectorAll("#panels canvas")].map((canvas) => canvas.toDataURL().length + canvas.toDataURL().slice(-400)));
  const before = await images();
  const whole = await view(page);
  expect(whole[0] === 0 && Math.abs(whole[1] - 19.98) < 1e-9, `the whole run at first: ${whole}`);
  await drag(page, 1, 0.25, 0.5);
  const [from, to] = await view(page);
  expect(Math.abs(from - 4.995) < 0.06 && Math.abs(to - 9.99) < 0.06, `zoomed by dragging: ${from} ${to}`);
  const after = await images();
  expect(after.every((image, i) => image !== before[i]), "all joints follow the zoom");
  expect(Math.abs((await peak_of(page, 3)).at - (6.5 - from) / (to - from)) < 0.012, "the peak moves with the zoom");
  expect(await page.locator("#reset").isEnabled(), "the zoom can be reset");
  await page.locator("#panels figure:nth-child(4) .u-over").first().dblclick();
  await page.waitForTimeout(100);
  expect((await view(page)).join() === whole.join(), `double click resets: ${await view(page)}`);
  await page.locator("#panels figure:nth-child(2)").focus();
  await page.keyboard.press("+");
  const zoomed = await view(page);
  expect(zoomed[1] - zoomed[0] < 0.51 * whole[1], `the plus key zooms: ${zoomed}`);
  await page.keyboard.press("Shift+ArrowRight");
  expect((await view(page))[0] > zoomed[0], "shift and arrow move the window");
  await page.keyboard.press("0");
  expect((await view(page)).join() === whole.join(), "the zero key resets");
}

async function linked_cursor(page) {
  const over = page.locator("#panels figure:nth-child(5) .u-over").first();
  await over.hover({ position: { x: 200, y: 40 } });
  await page.waitForTimeout(150);
  const texts = await page.locator("#panels .readout").allTextContents();
  expect(texts.every((text) => / s: /.test(text) && text.split(":")[0] === texts[0].split(":")[0]), `one cursor for all joints: ${texts}`);
  const time = Number(await page.locator("#robot").getAttribute("data-time"));
  expect(Math.abs(time - parseFloat(texts[0])) < 0.03, `the robot takes the pose at the cursor: ${time} and ${texts[0]}`);
}

async function robot(page) {
  await page.mouse.move(2, 2);
  await page.locator("#robot").scrollIntoViewIfNeeded();
  const first = await canvas_pixels(page, "#robot");
  const opaque = count_pixels(first, (r, g, b, alpha) => alpha > 200);
  expect(opaque > 2000, `the robot has ${opaque} pixels`);
  // Lit surfaces of the joints: blue in many shades.
  expect(count_pixels(first, (r, g, b, alpha) => alpha > 200 && b > r + 40) > 400, "joints are drawn");
  expect(colours_of(first) > 100, `${colours_of(first)} colours in 3D`);
  await page.locator(".player input").fill("500");
  const second = await canvas_pixels(page, "#robot");
  let changed = 0;
  for (let i = 0; i < first.data.length; i += 4) changed += first.data[i] !== second.data[i] ? 1 : 0;
  expect(changed > 500, `the pose changes with the time: ${changed} pixels`);
  const before = Number(await page.locator("#robot").getAttribute("data-time"));
  await page.locator("#play").click();
  await page.waitForFunction((time) => Number(document.getElementById("robot").dataset.time) > time + 0.2, before);
  await page.locator("#play").click();
}

// The sample's residual is flat with a line at 50 Hz, the 49th of 72 frequencies; its correlations fall by half.
async function spectra(page) {
  const { points, lags, out } = await page.evaluate(() => ({
    points: document.querySelector("#spectra-panels .rest").getAttribute("d").split(/[ML]/).slice(1).map((pair) => pair.split(" ").map(Number)),
    lags: [...document.querySelectorAll("[data-spectrum]:first-child .lag")].map((line) => line.y1.baseVal.value - line.y2.baseVal.value),
    out: document.querySelectorAll("[data-spectrum]:first-child .lag.out").length,
  }));
  expect(points.length === 72, `${points.length} frequencies`);
  const top = points.reduce((best, [, y], k) => (y < points[best][1] ? k : best), 0);
  expect(top === 48, `the line stands at frequency ${top}`);
  expect(points.filter((_, k) => k !== 48).every(([, y]) => Math.abs(y - points[0][1]) < 0.2), "the rest is flat");
  const first = 48 / 71;
  expect(Math.abs((points[48][0] - points[0][0]) / (points[71][0] - points[0][0]) - first) < 0.01, "frequencies on a logarithmic axis");
  expect(lags.length === 20 && lags[0] > 1.5 * lags[1], `correlations: ${lags}`);
  // 1.96/√2000 = 0.044: 0.6·2⁻ᵏ is above up to k = 3.
  expect(out >= 3 && out <= 4, `${out} correlations outside the band`);
}

// Positions of the sample's joints: a sine of 0.6 around its centre.
async function excitation(page) {
  const text = await page.locator("#excitation tbody tr").first().textContent();
  expect(text.includes("−0.600 … 0.600 rad"), `range of joint 1: ${text}`);
}

// Everything that carries meaning can be distinguished and read, in both themes and for all kinds of sight.
async function colours(page) {
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => { document.documentElement.dataset.theme = name; }, theme);
    const of = await page.evaluate(() => Object.fromEntries(["card", "page", "ink", "muted", "measured", "predicted", "residual", "good", "usable", "bad", "good-soft", "usable-soft", "bad-soft", "origin-measured", "origin-inferred", "origin-chosen"]
      .map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()])));
    // 10 in CIELAB is seen at a glance; twice that is asked.
    for (const [a, b] of [["measured", "predicted"], ["measured", "residual"], ["predicted", "residual"], ["origin-measured", "origin-inferred"],
      ["origin-measured", "origin-chosen"], ["origin-inferred", "origin-chosen"]]) {
      const { sight, distance } = apart(of[a], of[b]);
      expect(distance > 20, `${theme}: ${a} and ${b} are ${distance.toFixed(1)} apart for ${sight}`);
    }
    for (const [a, b, least] of [["ink", "card", 7], ["ink", "page", 7], ["muted", "card", 4.5], ["muted", "page", 4.5], ["predicted", "card", 3], ["residual", "card", 3], ["origin-measured", "card", 3], ["origin-inferred", "card", 3], ["origin-chosen", "card", 3],
      ["good", "good-soft", 4.5], ["usable", "usable-soft", 4.5], ["bad", "bad-soft", 4.5]])
      expect(contrast(of[a], of[b]) >= least, `${theme}: ${a} on ${b} has a contrast of ${contrast(of[a], of[b]).toFixed(2)}`);
  }
  await page.evaluate(() => { delete document.documentElement.dataset.theme; });
}

// All controls can be reached by the Tab key, and each says what it is.
async function keyboard(page) {
  const silent = await page.evaluate(() => [...document.querySelectorAll("#app button, #app a, #app input, #app summary, #app [tabindex]")]
    .filter((one) => one.tabIndex < 0 || !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.length > 0)).map((one) => one.outerHTML.slice(0, 80)));
  expect(silent.length === 0, `not for the keyboard: ${silent}`);
  await page.locator("#robot").focus();
  const before = await canvas_pixels(page, "#robot");
  await page.keyboard.press("ArrowLeft");
  const after = await canvas_pixels(page, "#robot");
  expect(!before.data.equals(after.data), "arrow keys turn the robot");
  await page.keyboard.press("0");
}

async function tables(page) {
  const column = (index) => page.evaluate((index) => [...document.querySelectorAll("#base tbody tr")].map((row) => row.cells[index].dataset.order), index);
  const heading = page.locator("#base th button", { hasText: "Relative σ" });
  await heading.focus();
  await page.keyboard.press("Enter");
  const shares = await column(5);
  const numbers = shares.filter((text) => text !== undefined).map(Number);
  expect(numbers.length === 63 && numbers.every((value, i) => i === 0 || numbers[i - 1] <= value), "sorted by relative deviation");
  expect(shares.at(-1) === undefined, "rows without a number come last");
  await heading.click();
  expect(Number((await column(5))[0]) === Math.max(...numbers), "a second click turns the order round");
  await page.locator("#runs button").nth(1).click();
  expect((await page.locator("#panels figure").count()) === 7, "the other run");
}

async function themes(page) {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  expect((await paper()) !== light, "a dark page");
  const dark = await canvas_pixels(page, "#panels canvas");
  expect(count_pixels(dark, near([0x56, 0xb4, 0xe9])) > 500, "curves in the colours of the dark page");
}

// Measured beside forecast, and the joints that will be worst: the last of the sample first.
async function forecast(page) {
  const bars = await page.locator("#forecast table").first().locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.querySelectorAll(".bar").length]));
  expect(bars.length === 4 && bars.some(([name, count]) => name.includes("figure eight") && count === 2), `bars beside each other: ${JSON.stringify(bars)}`);
  const joints = await page.locator("#forecast table").last().locator("tbody tr td:first-child").allTextContents();
  expect(joints.length === 7 && joints[0] === "panda_joint7" && joints[6] === "panda_joint1", `worst joints: ${joints}`);
  expect((await page.locator("#figures").textContent()).includes("90 % at most"), "the forecast is a key figure");
}

// Ellipsoids in three colours, a legend with words, and a switch that the keyboard reaches.
async function origins(page) {
  const blue = ([r, g, b]) => b > r + 60 && b > g + 10, purple = ([r, g, b]) => r > g + 40 && b > g + 25, amber = ([r, g, b]) => r > b + 60 && g > b + 30;
  const count = async (kind) => count_pixels(await canvas_pixels(page, "#robot"), (r, g, b, alpha) => alpha > 60 && kind([r, g, b]));
  await page.locator("#robot").scrollIntoViewIfNeeded();
  const legend = page.locator(".origins");
  expect(await legend.isVisible(), "the legend of origins");
  for (const word of ["measured", "inferred", "chosen"]) expect((await legend.textContent()).includes(word), `the legend says ${word}`);
  const on = [await count(blue), await count(purple), await count(amber)];
  expect(on[1] > 150 && on[2] > 150, `chosen and inferred are drawn: ${on}`);
  const box = page.locator("[data-part=origin] input");
  await box.focus();
  await page.keyboard.press("Space");
  expect(!(await box.isChecked()) && !(await legend.isVisible()), "the space key switches origins off");
  const off = [await count(blue), await count(purple)];
  expect(off[1] < 0.3 * on[1], `no purple without origins: ${off[1]} of ${on[1]}`);
  await page.locator("#robot").focus();
  await page.keyboard.press("o");
  expect((await box.isChecked()) && (await legend.isVisible()), "the key o switches them on again");
}

// One line a joint of the engine, and the tool's distances with both sets of bodies.
async function engines(page) {
  expect((await page.locator("#engines table").first().locator("tbody tr").count()) === 2, "joints of the engine");
  const tool = await page.locator("#engines table").last().textContent();
  expect(tool.includes("3.70 mm") && tool.includes("154 mm") && /20\s% heavier/.test(tool), "distances of the tool: " + tool);
}

async function whole_visit() {
  const page = await open_page(browser, folder + "/web-usable.html");
  const paints = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint").map(({ startTime }) => startTime));
  console.log(`first paint after ${Math.round(paints[0])} ms, ${statSync(folder + "/web-usable.html").size} bytes`);
  await page.screenshot({ path: folder + "/light.png", fullPage: true });
  await every_section(page, "usable");
  await curves(page);
  await linked_zoom(page);
  await linked_cursor(page);
  await robot(page);
  await origins(page);
  await forecast(page);
  await engines(page);
  await spectra(page);
  await excitation(page);
  await keyboard(page);
  await colours(page);
  await tables(page);
  await themes(page);
  await page.pdf({ path: folder + "/printed.pdf" });
  expect(statSync(folder + "/printed.pdf").size > 50000, "the page prints");
  expect(page.complaints.length === 0, page.complaints.join("; "));
  await page.context().close();
}

// Thirty joints in twenty runs: the page is ready, draws, and takes another run and another time.
async function large() {
  const file = folder + "/web-large.html";
  expect(statSync(file).size < 5e6, `the page of 30 joints and 20 runs has ${statSync(file).size} bytes`);
  const page = await open_page(browser, file);
  expect((await page.locator("#panels figure").count()) === 30, "thirty panels");
  expect((await page.locator("#runs button").count()) === 20, "twenty runs");
  await page.locator("#runs button").nth(19).click();
  expect((await page.locator("#panels figure").count()) === 30, "thirty panels of the last run");
  expect(count_pixels(await canvas_pixels(page, "#panels figure:nth-child(30) canvas", 0), near(predicted)) > 300, "the last panel is drawn");
  await page.locator(".player input").fill("500");
  expect(await fits(page, 1280), "the large page fits the window");
  expect(page.complaints.length === 0, "large: " + page.complaints.join("; "));
  await page.context().close();
}

// What gears take and what repeats with the position: named, and the dots lie beside the line.
async function geared() {
  const page = await open_page(browser, folder + "/web-geared.html");
  const caption = (joint) => page.locator(`[data-friction=panda_joint${joint}] figcaption`).textContent();
  expect((await caption(1)).includes("12\u202f% of its load"), "load friction: " + await caption(1));
  expect((await caption(2)).includes("ripple 0.50 at 10 a turn"), "ripple: " + await caption(2));
  expect(!/load|ripple/.test(await caption(3)), "neither: " + await caption(3));
  const plain = await open_page(browser, folder + "/web-usable.html");
  for (const joint of [1, 2]) {
    const [with_it, without] = await Promise.all([page, plain].map((one) => canvas_pixels(one, `[data-friction=panda_joint${joint}] canvas`)));
    expect(!with_it.data.equals(without.data), `the dots of joint ${joint} know it`);
  }
  expect(page.complaints.length === 0, "geared: " + page.complaints.join("; "));
  await page.context().close();
  await plain.context().close();
}

// Without WebGL the same robot is drawn on a 2D canvas, turns and moves.
async function without_webgl() {
  const plain = await open_browser(packages, chromium, ["--disable-webgl", "--disable-webgl2", "--disable-3d-apis"]);
  const page = await open_page(plain, folder + "/web-usable.html");
  expect((await page.locator("#robot").getAttribute("data-drawn")) === "canvas", "no WebGL here");
  await robot(page);
  await origins(page);
  await page.locator("#robot").focus();
  const before = await canvas_pixels(page, "#robot");
  await page.keyboard.press("ArrowLeft");
  expect(!before.data.equals((await canvas_pixels(page, "#robot")).data), "arrow keys turn the drawn robot");
  await page.locator("#robot").screenshot({ path: folder + "/drawn.png" });
  expect(page.complaints.length === 0, "without WebGL: " + page.complaints.join("; "));
  await page.context().close();
  await plain.close();
}

async function hostile() {
  const page = await open_page(browser, folder + "/web-hostile.html");
  await every_section(page, "hostile");
  expect(!(await page.evaluate(() => "hacked" in document.documentElement.dataset)), "typed text became markup");
  expect((await page.locator("h1").textContent()).startsWith("</script><script>"), "the name is shown as it was typed");
  expect((await page.locator("#app img, #app script").count()) === 0, "typed text became elements");
  expect(page.complaints.length === 0, "hostile: " + page.complaints.join("; "));
  await page.context().close();
}

// The policy itself: another script in the page must be stopped.
async function policy() {
  const path = folder + "/policy.html";
  writeFileSync(path, readFileSync(folder + "/web-usable.html", "utf8") + "<script>document.documentElement.dataset.hacked=1</script>");
  const page = await open_page(browser, path);
  expect(!(await page.evaluate(() => "hacked" in document.documentElement.dataset)), "a foreign script ran");
  expect(page.complaints.some((text) => text.includes("Content Security Policy")), "the policy says so");
  await page.context().close();
}

// The second result differs from the first in one parameter, by 9/√2 standard deviations of their difference.
async function comparison() {
  const page = await open_page(browser, folder + "/web-compare.html");
  for (const id of ["overview", "joints", "base", "drives", "provenance"]) expect((await page.locator("#" + id).count()) === 1, `compare: no #${id}`);
  expect((await page.locator("#overview .verdict").count()) === 3, "compare: three verdicts");
  const apart = await page.evaluate(() => [...document.querySelectorAll("#base tbody tr")].slice(0, 2).map((row) => row.cells[5].dataset.order));
  expect(Math.abs(apart[1] - 9 / Math.SQRT2) < 0.01, `compare: ${apart[1]} deviations apart`);
  expect(page.complaints.length === 0, "compare: " + page.complaints.join("; "));
  await page.context().close();
}

async function without_scripts() {
  const context = await browser.newContext({ offline: true, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto("file://" + folder + "/web-usable.html");
  expect(await page.locator("#verdict").isVisible(), "without scripts: the verdict is there");
  expect((await page.locator("#base tbody tr").count()) === 64, "without scripts: the tables are there");
  await context.close();
}

try {
  for (const visit of [whole_visit, hostile, large, geared, without_webgl, policy, comparison, without_scripts]) await visit();
} catch (error) {
  failures.push(error.stack);
} finally {
  await browser.close();
}
for (const text of failures) console.log("FAILED " + text);
process.exit(failures.length === 0 ? 0 : 1);
