// The page, as people meet it: in Chromium, over the bundled sample and over a goal of its own.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const room = mkdtempSync(join(tmpdir(), "loopx-browser-"));
const sample = join(room, "sample");
const env = {
  PATH: process.env.PATH,
  HOME: join(sample, "home"),
  LOOPX_HOME: join(sample, "loopx"),
  CODEX_HOME: join(sample, "home/.codex"),
};
const loopx = (...args) => execFileSync(process.env.LOOPX, args, { env, stdio: ["ignore", "pipe", "ignore"] }).toString();

let browser, server, origin, state;
const noise = [];

before(async () => {
  loopx("demo", "--dir", sample);
  loopx("goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none");
  loopx("agent", "add", "codex", "--goal", "pilot");
  server = spawn(process.env.LOOPX, ["serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((found) => server.stdout.once("data", (data) => found(data.toString().trim())));
  origin = new URL(address).origin;
  browser = await chromium.launch({
    executablePath: process.env.LOOPX_CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  state = await context.storageState();
  await context.close();
});

after(async () => {
  await browser?.close();
  server?.kill();
  rmSync(room, { recursive: true, force: true });
});

async function open(path, options = {}) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("console", (message) => noise.push(`${path}: ${message.text()}`));
  page.on("pageerror", (error) => noise.push(`${path}: ${error.message}`));
  await page.goto(origin + path);
  return page;
}

const views = () => {
  const session = JSON.parse(loopx("sessions", "list", "--json")).sessions[0].session.session_id;
  return ["/", "/goals/sample-billing", "/goals/sample-billing/codex", `/sessions/${session}`, "/charts", "/charts?reach=week", "/history", "/pair", "/none"];
};

test("who needs somebody stands first, and says so before anything else", async () => {
  const page = await open("/");
  assert.match(await page.textContent("h1"), /^\d+ lanes? and 1 prompt in no lane wait on you$/);
  const groups = await page.locator("#groups section:visible").evaluateAll((all) => all.map((one) => one.dataset.whom));
  assert.equal(groups[0], "user");
  assert.match(await page.title(), /^\(\d+\) LoopX$/);
});

test("no view breaks a rule of WCAG 2.2 AA, in either theme", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const path of views()) {
      const page = await open(path, { colorScheme, bypassCSP: true });
      await page.evaluate(AXE);
      const found = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
      assert.deepEqual(found.violations.map((one) => `${path}: ${one.id}: ${one.nodes[0].html}`), []);
      await page.context().close();
    }
  }
});

test("no view is wider than its screen", async () => {
  for (const width of [360, 1280, 2560]) {
    for (const path of views()) {
      const page = await open(path, { viewport: { width, height: 800 } });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wide, 0, `${path} at ${width}`);
      await page.context().close();
    }
  }
});

test("a change is on the page without a load, and leaves it when it is over", async () => {
  const page = await open("/");
  await page.waitForSelector("#stream[data-live]");
  const gate = JSON.parse(loopx("gate", "ask", "may it go out?", "--goal", "pilot", "--json")).id;
  const lane = page.locator('section[data-whom="user"] li[data-key="pilot/codex"]');
  await lane.waitFor();
  assert.match(await lane.textContent(), /may it go out\?/);
  loopx("gate", "withdraw", gate, "--goal", "pilot");
  await lane.waitFor({ state: "detached" });
});

test("a decision for two lanes was asked for twice", async () => {
  loopx("goal", "add", "shared", "--objective", "ship it together", "--proof", "none");
  for (const agent of ["alice", "bob"]) loopx("agent", "add", agent, "--goal", "shared");
  const page = await open("/");
  await page.waitForSelector("#stream[data-live]");
  const before = await page.textContent("h1");
  const gate = JSON.parse(loopx("gate", "ask", "may both go on?", "--goal", "shared", "--json")).id;
  const rows = page.locator('section[data-whom="user"] li[data-key^="shared/"]');
  await rows.nth(1).waitFor();
  assert.match(await page.textContent("h1"), /^\d+ things? in \d+ lanes and 1 prompt in no lane wait on you$/);
  const shown = () => rows.evaluateAll((all) => all.map((row) => row.innerText.split("\n").some((line) => line.startsWith("decide"))));
  const asks = () => page.locator("button:visible", { hasText: "Approve" }).count();
  const [changed, told, buttons] = [await shown(), await page.textContent("h1"), await asks()];
  await page.reload();
  assert.deepEqual([changed, told, buttons], [await shown(), await page.textContent("h1"), await asks()], "the server says it otherwise");
  assert.deepEqual(changed, [true, false]);
  assert.match(await rows.nth(1).innerText(), /the same as above/);
  loopx("gate", "withdraw", gate, "--goal", "shared");
  await rows.first().waitFor({ state: "detached" });
  assert.equal(await page.textContent("h1"), before);
  loopx("goal", "archive", "shared");
});

test("every act can be done with the keyboard alone", async () => {
  const gate = JSON.parse(loopx("gate", "ask", "may it go by keyboard?", "--goal", "pilot", "--json")).id;
  const page = await open("/");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "LI");
  await page.goto(`${origin}/goals/pilot`);
  const reached = async (text) => {
    for (let at = 0; at < 60; at += 1) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement.textContent.trim())).startsWith(text)) return;
    }
    assert.fail(`${text} is not reached`);
  };
  await reached("Approve");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text('Confirm')");
  assert.match(await page.textContent("pre"), new RegExp(gate));
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text('Recorded')");
  const standing = JSON.parse(loopx("gate", "list", "--goal", "pilot", "--json")).gates.find((one) => one.id === gate).standing;
  assert.equal(standing, "approved");
});

test("charts stand on their tables, and tell what they mark without colour", async () => {
  const page = await open("/charts");
  const drawn = await page.locator("main svg[role=img]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  assert.ok(drawn.length > 3 && drawn.every((words) => words), `${drawn}`);
  const behind = page.locator("details.behind").first();
  await behind.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok(await behind.locator("table").isVisible());
  const marks = await page.locator("ul.legend li").evaluateAll((all) => all.map((one) => {
    const mark = one.querySelector("rect");
    return `${mark.getAttribute("y")} ${mark.getAttribute("height")} ${mark.getAttribute("fill")}`;
  }));
  assert.equal(new Set(marks).size, marks.length, "two marks look alike without colour");
});

test("the slider goes through the past with the keyboard, and its place has an address", async () => {
  const page = await open("/history");
  const before = await page.textContent("#then .instant");
  await page.focus("#at");
  await page.keyboard.press("Home");
  await page.waitForFunction((text) => document.querySelector("#then .instant").textContent !== text, before);
  assert.match(page.url(), /\/history\?at=\d{4}-/);
  const shown = (await page.textContent("#then .instant")).slice(0, 19);
  await page.reload();
  assert.equal((await page.textContent("#then .instant")).slice(0, 19), shown);
  const bare = await open("/history", { javaScriptEnabled: false });
  await bare.focus("#at");
  await bare.keyboard.press("Home");
  await bare.click("form.at button");
  assert.match(bare.url(), /\/history\?at=\d{4}-/);
});

test("what is being typed is not lost to a change", async () => {
  const page = await open("/goals/pilot");
  await page.fill("input[name=title]", "half a thought");
  loopx("todo", "add", "another thing", "--goal", "pilot");
  await page.waitForSelector("#banner:visible");
  assert.equal(await page.inputValue("input[name=title]"), "half a thought");
});

test("without a script the page is whole", async () => {
  const page = await open("/", { javaScriptEnabled: false });
  assert.match(await page.textContent("h1"), /waits? on you$/);
  assert.ok((await page.locator("li.lane").count()) > 5);
});

test("nothing was refused or failed in the console", () => {
  assert.deepEqual(noise.filter((line) => !line.includes("404 (Not Found)")), []);
});

test("a server that is gone is said to be gone", async () => {
  const page = await open("/");
  await page.waitForSelector("#stream[data-live]");
  server.kill("SIGKILL");
  await page.waitForSelector("#banner:visible");
  assert.match(await page.textContent("#banner"), /lost/);
});
