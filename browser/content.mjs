// Opens a page in Chromium again and again, in a profile of its own each time or a new tab of one profile, and says in
// milliseconds from the start of each visit when its content was painted first: one list in JSON.
//
//     node content.mjs ADDRESS COOKIE VISITS profile|tab

import { launch } from "./served.mjs";

const [address, cookie, visits, each] = process.argv.slice(2);
const [name, value] = cookie.split("=");
const browser = await launch();
const profile = async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name, value, url: address }]);
  return context;
};
const visit = async (context) => {
  const page = await context.newPage();
  await page.goto(address);
  const painted = await page.evaluate(async () => {
    const name = "first-contentful-paint";
    const [known] = performance.getEntriesByName(name);
    const first = known ?? (await new Promise((found) => {
      new PerformanceObserver((list) => list.getEntriesByName(name).forEach(found)).observe({ type: "paint", buffered: true });
    }));
    return first.startTime;
  });
  await page.close();
  return painted;
};
const painted = [];
const kept = await profile();
await visit(kept);
for (let at = 0; at < Number(visits); at += 1) {
  const context = each === "tab" ? kept : await profile();
  painted.push(await visit(context));
  if (context !== kept) await context.close();
}
await browser.close();
console.log(JSON.stringify(painted));
