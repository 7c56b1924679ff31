// A picture of the upper part of a report, or of one element: picture.mjs PACKAGES CHROMIUM REPORT PNG [SELECTOR]
import { open_browser, open_page } from "./browser.mjs";

const [, , packages, chromium, report, picture, selector] = process.argv;
const browser = await open_browser(packages, chromium);
const page = await open_page(browser, report, { viewport: { width: 1280, height: 1180 }, colorScheme: "light" });
// The robot in the middle of its motion, the cursor of the curves at the same time.
await page.locator(".player input").fill("330");
await page.mouse.move(2, 2);
await page.waitForTimeout(200);
await (selector ? page.locator(selector) : page).screenshot({ path: picture });
await browser.close();
