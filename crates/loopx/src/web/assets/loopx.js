// Follows the changes, and hears keys. Without it the page loads itself anew.

import { keep } from "./keep.js";
import { help, palette } from "./palette.js";

const body = document.body;
const stream = document.getElementById("stream");
const banner = document.getElementById("banner");
const groups = () => document.getElementById("groups");

// What is older than this, in milliseconds, is said to be old: something is heard every 15 seconds.
const SILENT = 40_000;

// How long it is waited before a connection that was refused is tried again, and at most.
const [FIRST, LAST] = [1000, 10_000];

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

/* Times. */

function length(seconds) {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ["s", 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

function said(time, at, now) {
  const seconds = Math.round((now - at) / 1000);
  const { dataset } = time;
  if ("for" in dataset) return seconds < 0 ? `in ${length(-seconds)}` : length(seconds);
  if ("clock" in dataset) return clock(at, now);
  return seconds < 0 ? `in ${length(-seconds)}` : `${length(seconds)} ago`;
}

// As a clock says it: the day stands there where it is another one.
function clock(at, now) {
  const [day, today] = [new Date(at), new Date(now)];
  const hours = day.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (day.toDateString() === today.toDateString()) return hours;
  const near = Math.abs(at - now) < 6 * 86_400_000;
  return `${day.toLocaleDateString([], near ? { weekday: "short" } : { dateStyle: "medium" })} ${hours}`;
}

let before = Date.now();

function age() {
  const now = Date.now();
  let passed = false;
  for (const time of document.querySelectorAll("time:not([data-exact])")) {
    const at = Date.parse(time.dateTime);
    const text = said(time, at, now);
    passed ||= at > before && at <= now;
    if (time.textContent === text) continue;
    time.textContent = text;
    time.title = new Date(at).toLocaleString();
    const word = time.previousElementSibling;
    if (word?.classList.contains("word")) word.textContent = "for ";
  }
  // What was to end then has: leases, offers, delays.
  if (passed) stale();
  before = now;
}

/* The first screen. */

const laneOf = (key) => groups().querySelector(`li[data-key="${CSS.escape(key)}"]`);

function place(lane) {
  const list = groups().querySelector(`section[data-whom="${lane.dataset.whom}"] ol`);
  const after = [...list.children].find((other) => other.dataset.order > lane.dataset.order);
  list.insertBefore(lane, after ?? null);
}

// As the server says it.
function headline(asks, lanes, prompts, right) {
  const counted = (count, what) => (count === 1 ? `1 ${what}` : `${count} ${what}s`);
  const parts = [];
  if (lanes > 0) parts.push(asks === lanes ? counted(lanes, "lane") : `${counted(asks, "thing")} in ${counted(lanes, "lane")}`);
  if (prompts > 0) parts.push(prompts === 1 ? "1 prompt in no lane" : `${prompts} prompts in no lane`);
  if (parts.length === 0) return right > 0 ? `${counted(right, "lane")} to set right` : "Nothing waits on you";
  const rest = right > 0 ? `, ${right} to set right` : "";
  return `${parts.join(" and ")} ${asks + prompts === 1 ? "waits" : "wait"} on you${rest}`;
}

const asksOf = (lane) => lane?.dataset.asks?.split(" ") ?? [];

function count() {
  for (const section of groups().children) {
    const lanes = section.querySelectorAll("li.lane").length;
    section.querySelector(".count").textContent = lanes;
    section.hidden = lanes === 0;
  }
  const onYou = [...groups().querySelectorAll('section[data-whom="user"] li.lane')];
  const asks = new Set(onYou.flatMap(asksOf)).size;
  for (const lane of onYou) {
    const [ask] = asksOf(lane);
    lane.toggleAttribute("data-same", ask !== undefined && ask === asksOf(lane.previousElementSibling)[0]);
  }
  const prompts = Number(document.getElementById("prompts")?.dataset.count ?? 0);
  const line = document.getElementById("headline");
  const right = groups().querySelectorAll('section[data-whom="controller"] li.lane').length;
  const words = headline(asks, onYou.length, prompts, right);
  if (line.textContent !== words) line.textContent = words;
  line.toggleAttribute("data-waits", asks + prompts > 0);
  document.title = asks + prompts > 0 ? `(${asks + prompts}) LoopX` : "LoopX";
  icon();
}

function change(html, begins) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const lane = made.content.firstElementChild;
  const old = laneOf(lane.dataset.key);
  keep(old, () => {
    old?.remove();
    if (begins) lane.classList.add("new");
    place(lane);
  });
  count();
  age();
}

function gone(key) {
  const lane = laneOf(key);
  const next = lane?.contains(document.activeElement) ? (lane.nextElementSibling ?? lane.previousElementSibling) : null;
  lane?.remove();
  next?.focus({ preventScroll: true });
  count();
}

/* Other pages are asked for again once things are quiet, and not while something is typed into them. */

let waiting;
let asked = 0;

function stale() {
  clearTimeout(waiting);
  waiting = setTimeout(renew, Math.max(200, asked + 1000 - Date.now()));
}

function typing() {
  const fields = [...document.querySelectorAll("main input:not([type=hidden]), main select")];
  const first = (field) => [...(field.options ?? [])].find((option) => option.defaultSelected)?.value ?? field.options?.[0]?.value;
  return fields.some((field) => field === document.activeElement || field.value !== (field.options ? first(field) : field.defaultValue));
}

async function renew() {
  if (typing()) return doubt("behind", "This page is older than what it shows: load it again when you are done.");
  const selected = getSelection();
  if (!selected.isCollapsed && document.querySelector("main").contains(selected.anchorNode)) {
    waiting = setTimeout(renew, 1000);
    return;
  }
  asked = Date.now();
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) {
    if (answer?.status === 404) doubt("behind", "What this page shows is not there any more.");
    return;
  }
  const made = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (made.body.dataset.version !== body.dataset.version) return location.reload();
  if (typing()) return;
  const main = document.querySelector("main");
  keep(main, () => main.replaceWith(made.querySelector("main")));
  document.title = made.title;
  doubt("behind", "");
  prepare();
  age();
}

/* Whether what stands here is so. */

// Why it may not be: the connection, the server's look, what is being typed. The first that holds is said.
const doubts = { lost: "", failing: "", behind: "" };

function doubt(which, why) {
  doubts[which] = why;
  const text = doubts.lost || doubts.failing || doubts.behind;
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = text === "";
  body.toggleAttribute("data-old", doubts.lost !== "");
  icon();
}

function icon() {
  const link = document.getElementById("icon");
  const name = doubts.lost ? "icon-old" : document.title.startsWith("(") ? "icon-you" : "icon";
  const href = `/assets/${name}.svg`;
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}

function live() {
  heard = Date.now();
  pause = FIRST;
  if (doubts.lost) doubt("lost", "");
  if ("live" in stream.dataset) return;
  stream.toggleAttribute("data-live", true);
  stream.textContent = "live";
}

function lost(why) {
  stream.toggleAttribute("data-live", false);
  stream.textContent = "not live";
  doubt("lost", `${why} What stands here is as of ${clock(heard, Date.now())}.`);
}

/* The stream. */

let events;
let cursor = body.dataset.cursor;
let heard = Date.now();
let watched = 0;
let pause = FIRST;

function follow() {
  events?.close();
  events = new EventSource(`/events?after=${cursor}`);
  const on = (name, then) => events.addEventListener(name, (event) => {
    live();
    if (event.lastEventId) cursor = event.lastEventId;
    then(event);
  });
  events.onopen = live;
  events.onerror = () => {
    lost("The connection to loopx serve is lost.");
    if (events.readyState === EventSource.CLOSED) again();
  };
  on("beat", () => {});
  if (groups()) {
    on("lane", (event) => change(event.data, false));
    on("begins", (event) => change(event.data, true));
    on("gone", (event) => gone(event.data));
    for (const part of ["prompts", "wishes"]) {
      on(part, (event) => {
        keep(document.getElementById(part), () => { document.getElementById(part).outerHTML = event.data; });
        count();
        age();
      });
    }
  } else {
    for (const name of ["lane", "begins", "gone", "goal", "prompts", "wishes"]) on(name, stale);
    on("session", (event) => { if (document.querySelector(`main [href$="${CSS.escape(event.data)}"]`) || location.pathname.endsWith(event.data)) stale(); });
  }
  on("failing", (event) => doubt("failing", event.data === "true" ? "LoopX can't look at the moment: what stands here is older." : ""));
  on("reset", renew);
}

// A connection that was refused is not tried again by the browser.
function again() {
  events?.close();
  setTimeout(retry, pause);
  pause = Math.min(pause * 2, LAST);
}

async function retry() {
  const answer = await fetch(location.pathname, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status === 401) lost("loopx serve was started anew, and does not know this browser: open the address that it prints.");
  if (answer === null || answer.status === 401 || answer.status >= 500) return again();
  follow();
}

// A connection may be gone without a word: the server is stopped, or this machine slept.
function watch() {
  const now = Date.now();
  if (now - Math.max(heard, watched) < SILENT || events.readyState === EventSource.CLOSED) return;
  watched = now;
  lost("Nothing is heard from loopx serve.");
  follow();
}

/* Keys. */

const single = {
  on: () => localStorage.getItem("loopx-single-keys") !== "off",
  set: (on) => localStorage.setItem("loopx-single-keys", on ? "on" : "off"),
};

const KEYS = [
  ["Ctrl K", "go to any goal, lane, session, view or act (: and / too)"],
  ["j", "the next lane or row"],
  ["k", "the one before"],
  ["g", "the first"],
  ["G", "the last"],
  ["Enter", "open it"],
  ["a", "approve, in the row that is selected: it is shown first"],
  ["r", "reject"],
  ["d", "done"],
  ["x", "dismiss a session that failed; drop a todo that was rejected"],
  ["w", "withdraw a question that was rejected"],
  ["u", "one step up"],
  ["l", "all lanes"],
  ["h", "history"],
  ["p", "pairing"],
  ["?", "these keys"],
];

const keys = {
  j: () => step(1),
  k: () => step(-1),
  g: () => focus(rows()[0]),
  G: () => focus(rows().at(-1)),
  a: () => press("a"),
  r: () => press("r"),
  d: () => press("d"),
  x: () => press("x"),
  w: () => press("w"),
  u: () => [...document.querySelectorAll(".trail a")].at(-1)?.click(),
  l: () => { location.href = "/"; },
  h: () => { location.href = "/history"; },
  p: () => { location.href = "/pair"; },
  ":": palette,
  "/": palette,
  "?": () => help(KEYS, single),
};

const ROWS = "li.lane, .list tbody tr, .ways a";

const rows = () => [...document.querySelectorAll(ROWS)].filter((row) => row.checkVisibility());

function focus(row) {
  if (!row) return;
  if (row.tabIndex < 0) row.tabIndex = -1;
  row.focus();
  row.scrollIntoView({ block: "nearest" });
}

function step(by) {
  const all = rows();
  const at = all.indexOf(document.activeElement?.closest(ROWS));
  focus(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)]);
}

const press = (key) => document.activeElement?.closest(ROWS)?.querySelector(`[data-press="${key}"]`)?.click();

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    return palette();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const row = event.target.closest(ROWS);
  if (event.key === "Enter" && row === event.target && row.tagName !== "A") return row.querySelector("a[href]")?.click();
  if (!(event.key in keys) || (event.key !== "?" && !single.on())) return;
  event.preventDefault();
  keys[event.key]();
});

/* What a script alone can offer. */

function prepare() {
  for (const line of document.querySelectorAll("pre.command:not(:has(button))")) {
    const text = line.textContent;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${text}`);
    button.onclick = () => navigator.clipboard.writeText(text).then(() => { button.textContent = "Copied"; }, () => { button.textContent = "Copy it by hand"; });
    line.append(button);
  }
}

// An address that leads to a row leads to what can be done there.
function arrive() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target || target.id === "main") return;
  const control = target.querySelector("button, input:not([type=hidden]), select, summary");
  if (!control && target.tabIndex < 0) target.tabIndex = -1;
  (control ?? target).focus();
}

const jump = document.getElementById("jump");
jump.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  palette();
});
const hint = document.createElement("kbd");
hint.textContent = "Ctrl K";
jump.append(hint);

prepare();
age();
arrive();
addEventListener("hashchange", arrive);
setInterval(age, 1000);
if (cursor) {
  follow();
  setInterval(watch, 5000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) watch(); });
}
