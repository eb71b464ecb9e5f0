// A page that is kept open: over a restart, a server that is stopped, a machine that slept; and what is at its bounds.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enter, home, launch, serve } from "./served.mjs";

let at, served, browser, state;

before(async () => {
  at = home(false);
  browser = await launch();
  served = await serve(at.env);
  state = await enter(browser, served.address);
});

after(async () => {
  await browser?.close();
  served?.server.kill("SIGKILL");
  at?.leave();
});

async function open(path, options = {}) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  return [page, () => page.goto(served.origin + path)];
}

// Waits until the page holds this: who serves it sees a change a moment later.
const holds = (page, text) => page.waitForFunction((text) => document.querySelector("main").textContent.includes(text), text);

test("an empty home teaches the first step, and a goal without lanes the next one", async () => {
  const [page, go] = await open("/");
  await go();
  assert.match(await page.textContent("main"), /Nothing waits on you.*loopx init/s);
  await page.waitForSelector("pre.command button:text('Copy')");
  at.loopx("goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none");
  await holds(page, "pilot");
  await page.goto(`${served.origin}/goals/pilot`);
  assert.match(await page.textContent("main"), /loopx agent add codex -g pilot/);
  at.loopx("agent", "add", "codex", "--goal", "pilot");
  await holds(page, "loopx todo add");
  await page.context().close();
});

test("the tab and its icon tell that something waits", async () => {
  const [page, go] = await open("/");
  await go();
  await page.waitForSelector("#stream[data-live]");
  const icon = () => page.getAttribute("#icon", "href");
  assert.equal(await icon(), "/assets/icon.svg");
  const gate = JSON.parse(at.loopx("gate", "ask", "may it go out?", "--goal", "pilot", "--json")).id;
  await page.waitForFunction(() => document.title === "(1) LoopX");
  assert.equal(await icon(), "/assets/icon-you.svg");
  at.loopx("gate", "withdraw", gate, "--goal", "pilot");
  await page.waitForFunction(() => document.title === "LoopX");
  assert.equal(await icon(), "/assets/icon.svg");
  await page.context().close();
});

test("silence is said to be silence, and that goes away by itself", async () => {
  const [page, go] = await open("/");
  await page.clock.install();
  await go();
  await page.waitForSelector("#stream[data-live]");
  served.server.kill("SIGSTOP");
  await page.clock.fastForward(60_000);
  await page.waitForSelector("#banner:visible");
  assert.match(await page.textContent("#banner"), /Nothing is heard.*as of/);
  assert.equal(await page.getAttribute("#icon", "href"), "/assets/icon-old.svg");
  served.server.kill("SIGCONT");
  await page.waitForSelector("#banner", { state: "hidden" });
  await page.waitForSelector("#stream[data-live]");
  await page.context().close();
});

test("a page outlives its server: its address leads to the same, and it follows again", async () => {
  const [page, go] = await open("/goals/pilot/codex");
  await go();
  await page.waitForSelector("#stream[data-live]");
  served.server.kill("SIGKILL");
  await page.waitForSelector("#banner:visible");
  served = await serve(at.env, served.port);
  // Where the server does not know the browser any more, the address that it prints lets it in again.
  const other = await page.context().newPage();
  await other.goto(served.address);
  await page.waitForSelector("#stream[data-live]");
  await page.waitForSelector("#banner", { state: "hidden" });
  at.loopx("gate", "ask", "and after that?", "--goal", "pilot");
  await page.waitForFunction(() => document.querySelector("main").textContent.includes("and after that?"));
  state = await page.context().storageState();
  await page.context().close();
});

test("long titles, long names and many todos stay in their bounds", async () => {
  const wide = "漢".repeat(240);
  const long = "a-very-long-name-of-a-goal-that-somebody-gave-it-for-no-good-reason-at-all";
  at.loopx("goal", "add", long, "--objective", wide, "--proof", "none");
  at.loopx("agent", "add", "an-agent-whose-name-is-no-shorter-than-that-of-its-goal", "--goal", long);
  at.loopx("todo", "add", wide, "--goal", long);
  const [first, show] = await open("/");
  await show();
  await holds(first, wide);
  await first.context().close();
  for (const [width, media] of [[360, "screen"], [1280, "print"], [2560, "screen"]]) {
    for (const path of ["/", `/goals/${long}`, "/jump"]) {
      const [page, go] = await open(path, { viewport: { width, height: 800 } });
      await page.emulateMedia({ media });
      await go();
      const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(over, 0, `${path} at ${width}`);
      await page.context().close();
    }
  }
});

test("forced colours and less motion leave nothing out", async () => {
  const [page, go] = await open("/", { forcedColors: "active", reducedMotion: "reduce" });
  await go();
  await page.waitForSelector("#stream[data-live]");
  assert.match(await page.textContent(".whom"), /you|ready|nobody|controller/);
  at.loopx("goal", "add", "other", "--objective", "move", "--proof", "none");
  at.loopx("agent", "add", "codex", "--goal", "other");
  at.loopx("gate", "ask", "does it move?", "--goal", "other");
  await page.waitForSelector(".lane.new");
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector(".lane.new")).animationName), "none");
  await page.context().close();
});
