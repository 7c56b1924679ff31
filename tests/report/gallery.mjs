// Small pictures of the upper parts of reports: gallery.mjs PACKAGES CHROMIUM [REPORT PNG]…
import { open_browser, open_page } from "./browser.mjs";

const [, , packages, chromium, ...pairs] = process.argv;
const browser = await open_browser(packages, chromium);
for (let k = 0; k + 1 < pairs.length; k += 2) {
  const page = await open_page(browser, pairs[k], { viewport: { width: 1120, height: 760 }, deviceScaleFactor: 0.55, colorScheme: "light" });
  const player = page.locator(".player input");
  if (await player.count()) await player.fill("330");
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.mouse.move(2, 2);
  await page.waitForTimeout(200);
  await page.screenshot({ path: pairs[k + 1] });
  await page.context().close();
}
await browser.close();
