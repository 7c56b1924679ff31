// Headless Chromium for the tests of the page: no network, every complaint of the page kept.
import { createRequire } from "node:module";

export async function open_browser(packages, executablePath, further = []) {
  const { chromium } = createRequire(packages + "/package.json")("playwright-core");
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", ...further],
  });
}

// The page, ready, with `complaints`: errors of scripts, console errors, requests that are not for the file itself.
export async function open_page(browser, path, options = {}) {
  const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120000);
  page.complaints = [];
  page.on("pageerror", (error) => page.complaints.push("script: " + error.message));
  page.on("console", (message) => message.type() === "error" && page.complaints.push("console: " + message.text()));
  page.on("request", (request) => request.url() !== "file://" + path && page.complaints.push("request: " + request.url()));
  page.on("dialog", (dialog) => { page.complaints.push("dialog: " + dialog.message()); dialog.dismiss(); });
  await page.goto("file://" + path);
  await page.waitForSelector("html[data-ready]");
  return page;
}

// The page fits into a window of this width. Drawings follow a new width some frames later, on a busy machine some seconds.
export const fits = (page, width) =>
  page.waitForFunction((limit) => document.documentElement.scrollWidth <= limit, width, { timeout: 20000 }).then(() => true, () => false);

// Pixels of a canvas by CSS selector: { width, height, data } with data as a flat list of bytes.
export const canvas_pixels = (page, selector, index = 0) => page.evaluate(([selector, index]) => {
  const source = document.querySelectorAll(selector)[index];
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [source.width, source.height];
  const pen = copy.getContext("2d");
  pen.drawImage(source, 0, 0);
  const { data } = pen.getImageData(0, 0, copy.width, copy.height);
  return { width: copy.width, height: copy.height, data: btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join("")) };
}, [selector, index]).then(({ width, height, data }) => ({ width, height, data: Buffer.from(data, "base64") }));

export function count_pixels({ data }, wanted) {
  let number = 0;
  for (let i = 0; i < data.length; i += 4) number += wanted(data[i], data[i + 1], data[i + 2], data[i + 3]) ? 1 : 0;
  return number;
}

export function colours_of({ data }) {
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return seen.size;
}

export const near = ([r, g, b], tolerance = 12) => (x, y, z, alpha) =>
  alpha > 200 && Math.abs(x - r) <= tolerance && Math.abs(y - g) <= tolerance && Math.abs(z - b) <= tolerance;
