// Opens a page in Chromium again and again, in one tab, in a new one each time, or in a new one of a profile of its own, and
// says in milliseconds from the start of each visit when its content was painted first: one list in JSON.
//
//     node content.mjs ADDRESS COOKIE VISITS same|tab|profile

import { launch } from "./served.mjs";

const [address, cookie, visits, each] = process.argv.slice(2);
const [name, value] = cookie.split("=");
const browser = await launch();
const profile = async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name, value, url: address }]);
  return context;
};
const visit = async (page) => {
  await page.goto(address);
  const painted = await page.evaluate(async () => {
    const name = "first-contentful-paint";
    const [known] = performance.getEntriesByName(name);
    const first = known ?? (await new Promise((found) => {
      new PerformanceObserver((list) => list.getEntriesByName(name).forEach(found)).observe({ type: "paint", buffered: true });
    }));
    return first.startTime;
  });
  return painted;
};
const painted = [];
const kept = await profile();
const tab = await kept.newPage();
await visit(tab);
for (let at = 0; at < Number(visits); at += 1) {
  const context = each === "profile" ? await profile() : kept;
  const page = each === "same" ? tab : await context.newPage();
  painted.push(await visit(page));
  if (page !== tab) await page.close();
  if (context !== kept) await context.close();
}
await browser.close();
console.log(JSON.stringify(painted));
