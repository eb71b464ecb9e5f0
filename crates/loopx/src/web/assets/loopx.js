// Follows the changes of the first screen. Without it the page loads itself anew.

const body = document.body;
const stream = document.getElementById("stream");
const banner = document.getElementById("banner");
const groups = document.getElementById("groups");

const UNITS = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function ago(at, now) {
  const seconds = Math.round((now - at) / 1000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["s", 1];
  const count = Math.floor(Math.abs(seconds) / size);
  return seconds < 0 ? `in ${count} ${unit}` : `${count} ${unit} ago`;
}

function age() {
  const now = Date.now();
  for (const time of document.querySelectorAll("time")) {
    const at = Date.parse(time.dateTime);
    const text = ago(at, now);
    if (time.textContent !== text) {
      time.textContent = text;
      time.title = new Date(at).toLocaleString();
    }
  }
}

function laneOf(key) {
  return groups.querySelector(`li[data-key="${CSS.escape(key)}"]`);
}

function place(lane) {
  const list = groups.querySelector(`section[data-whom="${lane.dataset.whom}"] ol`);
  const after = [...list.children].find((other) => other.dataset.order > lane.dataset.order);
  list.insertBefore(lane, after ?? null);
}

// As the server says it.
function headline(lanes, prompts) {
  const counted = (count, one, more) => (count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${more}`]);
  const parts = [...counted(lanes, "lane", "lanes"), ...counted(prompts, "prompt in no lane", "prompts in no lane")];
  if (parts.length === 0) return "Nothing waits on you";
  return `${parts.join(" and ")} ${lanes + prompts === 1 ? "waits" : "wait"} on you`;
}

function count() {
  for (const section of groups.children) {
    const lanes = section.querySelectorAll("li").length;
    section.querySelector(".count").textContent = lanes;
    section.hidden = lanes === 0;
  }
  const onYou = groups.querySelectorAll('section[data-whom="user"] li').length;
  const prompts = Number(document.getElementById("prompts")?.dataset.count ?? 0);
  const words = headline(onYou, prompts);
  const line = document.getElementById("headline");
  if (line.textContent !== words) line.textContent = words;
  document.title = onYou + prompts > 0 ? `(${onYou + prompts}) LoopX` : "LoopX";
}

function change(html, begins) {
  const made = document.createElement("template");
  made.innerHTML = html;
  const lane = made.content.firstElementChild;
  const before = laneOf(lane.dataset.key);
  const focused = before?.contains(document.activeElement);
  before?.remove();
  if (begins) lane.classList.add("new");
  place(lane);
  if (focused) lane.focus();
  count();
  age();
}

function gone(key) {
  laneOf(key)?.remove();
  count();
}

// Other pages are asked for again once things are quiet, and not while something is typed into them.
let waiting;

function stale() {
  clearTimeout(waiting);
  waiting = setTimeout(renew, 200);
}

async function renew() {
  const typed = [...document.querySelectorAll("main input:not([type=hidden]), main select")];
  if (typed.some((field) => field === document.activeElement || field.value !== (field.defaultValue ?? field.options?.[0]?.value))) {
    return say("This page is older than what it shows: load it again when you are done.");
  }
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const made = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = [...document.querySelectorAll("main details")].map((details) => details.open);
  document.querySelector("main").replaceWith(made.querySelector("main"));
  document.querySelectorAll("main details").forEach((details, at) => { details.open = open[at] ?? false; });
  age();
}

function say(text) {
  banner.textContent = text;
  banner.hidden = text === "";
}

function live(is) {
  stream.toggleAttribute("data-live", is);
  stream.textContent = is ? "live" : "not live";
}

function follow() {
  const events = new EventSource(`/events?after=${body.dataset.cursor}`);
  events.onopen = () => { live(true); say(""); };
  events.onerror = () => { live(false); say("The connection to loopx serve is lost: what stands here may be old."); };
  if (groups) {
    events.addEventListener("lane", (event) => change(event.data, false));
    events.addEventListener("begins", (event) => change(event.data, true));
    events.addEventListener("gone", (event) => gone(event.data));
    events.addEventListener("prompts", (event) => {
      document.getElementById("prompts").outerHTML = event.data;
      count();
      age();
    });
  } else {
    for (const name of ["lane", "begins", "gone", "goal"]) events.addEventListener(name, () => stale());
  }
  events.addEventListener("failing", (event) => {
    say(event.data === "true" ? "LoopX can't look at the moment: what stands here is older." : "");
  });
  events.addEventListener("reset", () => { events.close(); location.reload(); });
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  g: () => lanes()[0]?.focus(),
};

function lanes() {
  return [...document.querySelectorAll("li.lane")];
}

function step(by) {
  const all = lanes();
  const at = all.indexOf(document.activeElement?.closest("li.lane"));
  all[Math.min(Math.max(at + by, 0), all.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  keys[event.key]?.();
});

age();
setInterval(age, 1000);
if (body.dataset.cursor) follow();
