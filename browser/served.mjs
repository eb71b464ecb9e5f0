// A server over a home of its own, and the Chromium that looks at it.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// A home: the sample, or an empty one.
export function home(sample) {
  const room = mkdtempSync(join(tmpdir(), "loopx-browser-"));
  const place = join(room, "home");
  const env = { PATH: process.env.PATH, HOME: join(place, "home"), LOOPX_HOME: join(place, "loopx"), CODEX_HOME: join(place, "home/.codex") };
  const loopx = (...args) => execFileSync(process.env.LOOPX, args, { env, stdio: ["ignore", "pipe", "ignore"] }).toString();
  if (sample) loopx("demo", "--dir", place);
  return { env, loopx, leave: () => rmSync(room, { recursive: true, force: true }) };
}

// A server over it, and the address that lets a browser in.
export async function serve(env, port = 0) {
  const server = spawn(process.env.LOOPX, ["serve", "--port", String(port)], { env, stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((found, failed) => {
    server.stdout.once("data", (data) => found(data.toString().trim()));
    server.once("exit", (code) => failed(new Error(`it ended with ${code}`)));
  });
  return { server, address, origin: new URL(address).origin, port: new URL(address).port };
}

export const launch = () => chromium.launch({ executablePath: process.env.LOOPX_CHROMIUM ?? "/usr/bin/chromium", args: ARGS });

// What a browser that was let in holds.
export async function enter(browser, address) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  const state = await context.storageState();
  await context.close();
  return state;
}

// What the focus is on, in words.
export const focused = (page) => page.evaluate(() => {
  const on = document.activeElement;
  return `${on.tagName} ${(on.getAttribute("aria-label") ?? on.name ?? "")} ${on.textContent}`.replace(/\s+/g, " ").trim();
});

// Tabs until this has the focus.
export async function reach(page, matches, most = 120) {
  for (let at = 0; at < most; at += 1) {
    await page.keyboard.press("Tab");
    if (matches.test(await focused(page))) return;
  }
  throw new Error(`${matches} is not reached`);
}
