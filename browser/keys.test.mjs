// The palette, the keys, and where the focus is.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enter, focused, home, launch, reach, serve } from "./served.mjs";

let at, served, browser, state;

before(async () => {
  at = home(true);
  at.loopx("goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none");
  for (const agent of ["codex", "claude"]) at.loopx("agent", "add", agent, "--goal", "pilot");
  at.loopx("gate", "ask", "may it go out?", "--goal", "pilot");
  served = await serve(at.env);
  browser = await launch();
  state = await enter(browser, served.address);
});

after(async () => {
  await browser?.close();
  served?.server.kill();
  at?.leave();
});

async function open(path = "/", options = {}) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  await page.goto(served.origin + path);
  return page;
}

test("the palette goes to a goal, a lane, a session, a view and an act", async () => {
  const session = JSON.parse(at.loopx("sessions", "list", "--json")).sessions[0].session.session_id;
  for (const [opens, typed, leads] of [
    ["Control+k", "goal pilot", /\/goals\/pilot$/],
    ["Meta+k", "pilot / claude", /\/goals\/pilot\/claude$/],
    [":", session, new RegExp(`/sessions/${session}$`)],
    ["/", "history", /\/history$/],
    ["Control+k", "decide go out pilot", /\/goals\/pilot#gate_\w+$/],
  ]) {
    const page = await open();
    await page.keyboard.press(opens);
    await page.waitForSelector("dialog [role=option]");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
    await page.waitForURL(leads);
    await page.context().close();
  }
});

test("the palette is a dialog with a list that says what is selected", async () => {
  const page = await open();
  await page.keyboard.press("j");
  const before = await focused(page);
  await page.keyboard.press("Control+k");
  await page.waitForSelector("dialog [role=option]");
  const selected = () => page.evaluate(() => {
    const field = document.activeElement;
    const option = document.getElementById(field.getAttribute("aria-activedescendant"));
    return [field.getAttribute("role"), option.getAttribute("role"), option.getAttribute("aria-selected"), option.id].join(" ");
  });
  assert.equal(await selected(), "combobox option true goto-0");
  await page.keyboard.press("ArrowDown");
  assert.equal(await selected(), "combobox option true goto-1");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.notEqual(await selected(), "combobox option true goto-0");
  // The page behind it is not reached.
  for (let at = 0; at < 5; at += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog") !== null));
  }
  await page.keyboard.press("Escape");
  // A dialog is told of its end a moment later.
  await page.waitForSelector("dialog", { state: "detached" });
  assert.equal(await focused(page), before);
});

test("without a script what the palette leads to is a plain list", async () => {
  const page = await open("/", { javaScriptEnabled: false });
  await page.click("#jump");
  assert.match(page.url(), /\/jump$/);
  await page.click(".ways a:text-is('pilot')");
  assert.match(page.url(), /\/goals\/pilot$/);
});

test("keys are told, and single letters can be turned off", async () => {
  const page = await open();
  await page.keyboard.press("?");
  await page.waitForSelector("dialog h2:text('Keys')");
  await reach(page, /^INPUT/);
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  assert.doesNotMatch(await focused(page), /^LI/);
  await page.keyboard.press("Control+k");
  await page.waitForSelector("dialog [role=option]");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.click("#single");
  await page.keyboard.press("Escape");
  await page.keyboard.press("G");
  assert.match(await focused(page), /^LI/);
});

test("rows are gone through, opened and left by keys", async () => {
  const page = await open();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  assert.match(await focused(page), /^LI/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/(goals|sessions)\//);
  await page.goto(`${served.origin}/goals/pilot/codex`);
  await page.keyboard.press("u");
  await page.waitForURL(/\/goals\/pilot$/);
  await page.keyboard.press("u");
  await page.waitForURL(/\/$/);
  await page.keyboard.press("h");
  await page.waitForURL(/\/history/);
  await page.keyboard.press("l");
  await page.waitForURL(/\/$/);
});

test("the focus stays where it is when a change replaces what it is on", async () => {
  const page = await open();
  await page.waitForSelector("#stream[data-live]");
  const lane = page.locator('li[data-key="pilot/claude"]');
  await lane.locator("button:has-text('Reject')").focus();
  const was = await lane.evaluateHandle((row) => row);
  at.loopx("gate", "ask", "and may the other?", "--goal", "pilot");
  await page.waitForFunction((row) => !row.isConnected, was);
  assert.match(await focused(page), /^BUTTON act Reject/);
  const whose = await page.evaluate(() => document.activeElement.closest("li").dataset.key);
  assert.equal(whose, "pilot/claude");
  // The lane below asks for the same: selected, it says all of it, and a change leaves it so.
  const below = page.locator('li[data-key="pilot/codex"]');
  assert.ok(!(await below.locator("button:has-text('Reject')").isVisible()));
  await below.focus();
  await below.locator("button:has-text('Reject')").focus();
  const wasBelow = await below.evaluateHandle((row) => row);
  at.loopx("gate", "ask", "and may a third?", "--goal", "pilot");
  await page.waitForFunction((row) => !row.isConnected, wasBelow);
  assert.match(await focused(page), /^BUTTON act Reject/);
});

test("the focus and what is open stay on a page that is renewed", async () => {
  const page = await open("/goals/pilot");
  await page.waitForSelector("#stream[data-live]");
  await page.click("#quota tr:nth-child(2) summary");
  await page.focus("#quota tr:nth-child(2) summary");
  at.loopx("todo", "add", "another thing", "--goal", "pilot");
  await page.waitForFunction(() => document.querySelector("#todos").textContent.includes("another thing"));
  assert.match(await focused(page), /^SUMMARY Limit/);
  assert.ok(await page.evaluate(() => document.activeElement.parentElement.open));
  assert.equal(await page.evaluate(() => document.activeElement.closest("tr").rowIndex), 2);
});
