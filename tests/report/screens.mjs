// Sections of pages, and pictures of their elements: screens.mjs PACKAGES CHROMIUM < JOBS, each {page, list} or {page, selector, png}.
import { readFileSync } from "node:fs";
import { open_browser, open_page } from "./browser.mjs";

const [, , packages, chromium] = process.argv;
const browser = await open_browser(packages, chromium);
const found = [];
for (const { page: path, list, selector, png } of JSON.parse(readFileSync(0, "utf8"))) {
  const page = await open_page(browser, path, { viewport: { width: 1120, height: 800 }, deviceScaleFactor: 0.7, colorScheme: "light" });
  if (list) {
    found.push(await page.evaluate(() => Array.from(document.querySelectorAll("main section[id]"), (section) =>
      [section.id, section.querySelector("h2")?.firstChild?.textContent?.trim() ?? section.getAttribute("aria-label")])
      .filter(([, title]) => title)));
  } else {
    const element = page.locator(selector).first();
    await element.scrollIntoViewIfNeeded();
    await page.waitForTimeout(200);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForTimeout(100);
    const box = await element.boundingBox();
    // Long tables are cut off: their head says enough.
    await page.screenshot({ path: png, fullPage: true, clip: { ...box, height: Math.min(box.height, selector === "#screen" ? 1600 : 700) } });
    found.push(png);
  }
  await page.context().close();
}
await browser.close();
console.log(JSON.stringify(found));
