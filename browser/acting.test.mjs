// Every act, by keyboard alone: what is recorded is shown first, confirmed, and can be undone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { enter, home, launch, reach, serve } from "./served.mjs";

let at, served, browser, state, goal;

before(async () => {
  at = home(false);
  at.loopx("goal", "add", "pilot", "--objective", "ship the pilot", "--proof", "none");
  for (const agent of ["codex", "claude"]) at.loopx("agent", "add", agent, "--goal", "pilot");
  served = await serve(at.env);
  browser = await launch();
  state = await enter(browser, served.address);
  goal = `${served.origin}/goals/pilot`;
});

after(async () => {
  await browser?.close();
  served?.server.kill();
  at?.leave();
});

async function open(url = goal) {
  const context = await browser.newContext({ storageState: state, viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

const json = (...args) => JSON.parse(at.loopx(...args, "--goal", "pilot", "--json"));

// What is recorded is on the page a moment later.
const shows = (page, place, words) =>
  page.waitForFunction(([place, words]) => document.querySelector(place)?.textContent.includes(words), [place, words]);

// From the button that leads to the preview, to the receipt.
async function confirmed(page, shows) {
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text('Confirm')");
  assert.match(await page.textContent("main"), shows);
  await page.waitForFunction(() => document.activeElement.textContent === "Confirm");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text('Recorded')");
}

test("a gate is approved from the first screen with three keys, and that is undone", async () => {
  const gate = json("gate", "ask", "may it go out?").id;
  const standing = () => json("gate", "list").gates.find((one) => one.id === gate).standing;
  const page = await open(served.origin);
  await page.waitForSelector('[data-press="a"]');
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await page.waitForSelector("h1:text('Confirm')");
  assert.equal(standing(), "requested");
  await page.waitForFunction(() => document.activeElement.textContent === "Confirm");
  await page.keyboard.press("Enter");
  await page.waitForSelector("h1:text('Recorded')");
  assert.equal(standing(), "approved");
  await reach(page, /^BUTTON Undo/);
  await confirmed(page, /undo/);
  assert.equal(standing(), "requested");
  at.loopx("gate", "withdraw", gate, "--goal", "pilot");
});

test("a gate is rejected with a reason, and another one put off", async () => {
  for (const [label, standing] of [["Reject", "rejected"], ["Put off", "deferred"]]) {
    const gate = json("gate", "ask", `may it be ${standing}?`).id;
    const page = await open();
    await page.waitForSelector('summary:has-text("With a reason")');
    await reach(page, /^SUMMARY With a reason/);
    await page.keyboard.press("Enter");
    if (label === "Reject") {
      await reach(page, /^INPUT reason/);
      await page.keyboard.type("not before the talk");
    }
    await reach(page, new RegExp(`^BUTTON ${label}`));
    await confirmed(page, new RegExp(gate));
    assert.equal(json("gate", "list").gates.find((one) => one.id === gate).standing, standing);
    at.loopx("gate", "withdraw", gate, "--goal", "pilot");
    await page.context().close();
  }
});

test("a todo is added, and one of the person's is done", async () => {
  const page = await open();
  await reach(page, /^INPUT title/);
  await page.keyboard.type("pick a name");
  await reach(page, /^SELECT audience/);
  await page.keyboard.press("m");
  await reach(page, /^BUTTON Add a todo/);
  await confirmed(page, /pick a name/);
  const todo = () => json("todo", "list", "--all").todos.find((one) => one.title === "pick a name");
  assert.ok(todo());
  await page.goto(goal);
  await page.waitForSelector('#todos button:has-text("Done")');
  await reach(page, /^BUTTON act Done/);
  await confirmed(page, /pick a name/);
  assert.match(JSON.stringify(todo()), /done/);
});

test("a run is judged", async () => {
  at.loopx("run", "record", "--kind", "progress", "--summary", "it reads the first table", "--goal", "pilot", "--agent", "codex");
  const page = await open();
  await page.waitForSelector('summary:has-text("Judge")');
  await reach(page, /^SUMMARY Judge/);
  await page.keyboard.press("Enter");
  await reach(page, /^BUTTON Reward/);
  await confirmed(page, /good/);
  await page.goto(goal);
  await shows(page, "#runs", "judged good");
});

test("limits are set, and those that were set are not lost by it", async () => {
  at.loopx("quota", "set", "--tokens", "1000", "--goal", "pilot");
  const page = await open();
  await page.waitForSelector('#quota:has-text("1000 tokens")');
  await reach(page, /^SUMMARY Limit/);
  await page.keyboard.press("Enter");
  await reach(page, /^INPUT turns/);
  await page.keyboard.type("7");
  await reach(page, /^BUTTON Set the limits/);
  await confirmed(page, /7 turns, 1000 tokens/);
  await page.goto(goal);
  await shows(page, "#quota", "7 turns, 1000 tokens in 1d");
});

test("the goal and a lane are paused, and go on from the first screen", async () => {
  for (const [label, words] of [["Pause the goal", /pause the goal/], ["Pause …", /pause agent claude/]]) {
    const page = await open();
    await reach(page, new RegExp(`^BUTTON ${label}`));
    await confirmed(page, words);
    await page.goto(served.origin);
    await page.waitForSelector('button:has-text("go on")');
    await reach(page, /^BUTTON Let (the goal|it) go on/);
    await confirmed(page, /let (the goal|agent claude) go on/);
    await page.context().close();
  }
});

test("a handoff is accepted", async () => {
  const todo = json("todo", "add", "read it as a newcomer").id;
  at.loopx("todo", "claim", todo, "--goal", "pilot", "--agent", "claude");
  at.loopx("handoff", "offer", todo, "--to", "codex", "--next-action", "read it once", "--goal", "pilot", "--agent", "claude");
  const page = await open();
  await page.waitForSelector('button:has-text("Accept")');
  await reach(page, /^BUTTON Accept/);
  await confirmed(page, /for agent codex/);
  await page.goto(goal);
  await shows(page, "#handoffs", "accepted");
  await shows(page, "#todos", "claimed by codex, lease ends");
});
