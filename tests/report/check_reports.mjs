// Opens reports as they are: check_reports.mjs PACKAGES CHROMIUM REPORT… Writes a picture beside each.
import { readFileSync, statSync } from "node:fs";
import { canvas_pixels, colours_of, count_pixels, open_browser, open_page } from "./browser.mjs";

const [, , packages, chromium, ...reports] = process.argv;
const browser = await open_browser(packages, chromium);
let failed = false;

// Sections that the result calls for.
function wanted({ result, scene }) {
  const ids = ["verdict", "figures", "findings", "curves", "provenance"];
  if (scene.robot) ids.push("robot");
  if (result.base.length > 0) ids.push("base");
  if (result.residual.per_joint.length > 0) ids.push("joints");
  if (result.validation.length > 0) ids.push("validation");
  if (result.drives?.some((drive) => Object.values(drive).some((value) => typeof value === "number"))) ids.push("drives");
  if (result.payloads?.length > 0) ids.push("payloads");
  for (const key of ["gains", "elastic", "reverse", "signs"]) if (result[key]) ids.push(key);
  if (result.feasible || result.links?.length > 0) ids.push("links");
  return ids;
}

async function check(path) {
  const text = readFileSync(path, "utf8").match(/id="data">(.*?)<\/script>/s)[1];
  const data = JSON.parse(text);
  const page = await open_page(browser, path);
  const problems = [...page.complaints];
  for (const id of wanted(data)) if ((await page.locator("#" + id).count()) !== 1) problems.push(`no #${id}`);
  if ((await page.evaluate(() => document.documentElement.scrollWidth)) > 1280) problems.push("wider than the window");
  const panels = await page.locator("#panels figure").count();
  if (panels !== (data.curves.runs[0]?.joints.length ?? 0)) problems.push(`${panels} panels`);
  for (let i = 0; i < 2 * panels; ++i)
    if (colours_of(await canvas_pixels(page, "#panels canvas", i)) < 8) problems.push(`plot ${i} is empty`);
  if (data.scene.robot) {
    const opaque = count_pixels(await canvas_pixels(page, "#robot"), (r, g, b, alpha) => alpha > 200);
    if (opaque < 1500) problems.push(`the robot has ${opaque} pixels`);
  }
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  await page.screenshot({ path: path.replace(/html$/, "png"), fullPage: true });
  await page.context().close();
  const size = statSync(path).size;
  if (size > 6e6) problems.push("larger than 6 MB");
  if (paint > 2000) problems.push("the first paint takes more than 2 s");
  console.log(`${problems.length === 0 ? "ok    " : "FAILED"} ${path}: ${(size / 1e6).toFixed(2)} MB, first paint ${Math.round(paint)} ms ${problems.join("; ")}`);
  failed ||= problems.length > 0;
}

for (const path of reports) await check(path);
await browser.close();
process.exit(failed ? 1 : 0);
