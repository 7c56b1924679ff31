// A picture of the upper part of a report: picture.mjs PACKAGES CHROMIUM REPORT PNG
import { open_browser, open_page } from "./browser.mjs";

const [, , packages, chromium, report, picture] = process.argv;
const browser = await open_browser(packages, chromium);
const page = await open_page(browser, report, { viewport: { width: 1280, height: 1180 }, colorScheme: "light" });
// The robot in the middle of its motion, the cursor of the curves at the same time.
await page.locator(".player input").fill("330");
await page.mouse.move(2, 2);
await page.waitForTimeout(200);
await page.screenshot({ path: picture });
await browser.close();
