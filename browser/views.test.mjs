// What opens above a page and what comes of a form, by the rules of WCAG 2.2 AA in both themes, and in its bounds.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { enter, home, launch, serve } from "./served.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let at, served, browser, state;

before(async () => {
  at = home(false);
  served = await serve(at.env);
  browser = await launch();
  state = await enter(browser, served.address);
});

after(async () => {
  await browser?.close();
  served?.server.kill("SIGKILL");
  at?.leave();
});

async function each(name, path, then = async () => {}) {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 1280], ["dark", 360]]) {
    const context = await browser.newContext({ storageState: state, viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    await page.goto(served.origin + path);
    await then(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0, `${name} at ${width}`);
    await page.evaluate(AXE);
    const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
    assert.deepEqual(found.violations.map((one) => `${name}, ${colorScheme}: ${one.id}: ${one.nodes[0].html}`), []);
    await context.close();
  }
}

const press = (text) => (page) => page.locator(`main button:has-text("${text}"):visible`).first().click();

test("an empty home, then a goal without lanes, then a lane without anything", async () => {
  await each("empty", "/");
  at.loopx("goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none");
  await each("no lanes", "/goals/pilot");
  at.loopx("agent", "add", "codex", "--goal", "pilot");
  await each("a lane without anything", "/goals/pilot/codex");
});

test("the palette, the keys, and the list they are made from", async () => {
  await each("list", "/jump");
  await each("palette", "/", async (page) => {
    await page.keyboard.press("Control+k");
    await page.waitForSelector("dialog [role=option]");
  });
  await each("keys", "/", async (page) => {
    await page.keyboard.press("?");
    await page.waitForSelector("dialog h2");
  });
});

test("a preview, its receipt, its undoing, and what is refused", async () => {
  at.loopx("run", "record", "--kind", "progress", "--summary", "it reads the first table", "--goal", "pilot", "--agent", "codex");
  at.loopx("quota", "set", "--turns", "4", "--goal", "pilot");
  for (const [width, question] of ["one", "two", "three"].entries()) at.loopx("gate", "ask", `may ${question} go out, ${width}?`, "--goal", "pilot");
  await each("goal", "/goals/pilot", async (page) => {
    for (const summary of await page.locator("summary").all()) await summary.click();
  });
  await each("preview", "/", press("Reject"));
  await each("receipt", "/goals/pilot", async (page) => {
    await press("Approve")(page);
    await press("Confirm")(page);
    await page.waitForSelector("h1:text('Recorded')");
  });
  await each("refusal", "/goals/pilot", async (page) => {
    await page.fill("input[name=title]", "see /etc/passwd for it");
    await press("Add a todo")(page);
    await page.waitForSelector("h1:text('Nothing was recorded')");
  });
  await each("not there", "/goals/none");
});

test("a goal that needs a person's proof says so before anything is recorded", async () => {
  at.loopx("goal", "add", "guarded", "--objective", "ask first");
  at.loopx("gate", "ask", "may it?", "--goal", "guarded");
  await each("unpaired", "/goals/guarded", press("Approve"));
});

test("a page that is old", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ storageState: state, colorScheme, bypassCSP: true });
    const page = await context.newPage();
    await page.clock.install();
    await page.goto(served.origin);
    await page.waitForSelector("#stream[data-live]");
    served.server.kill("SIGSTOP");
    await page.clock.fastForward(60_000);
    await page.waitForSelector("#banner:visible");
    await page.clock.resume();
    await page.evaluate(AXE);
    const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
    served.server.kill("SIGCONT");
    assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes[0].html}`), []);
    await context.close();
  }
});
