// What opens above the page: the palette, which goes to whatever the list of /jump leads to, and the keys.

const SHOWN = 50;

function made(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// It is taken away when it closes, and the focus goes back to where it was. Gives what closes it at once.
function opened(dialog) {
  const before = document.activeElement;
  const close = () => {
    if (!dialog.isConnected) return;
    dialog.close();
    dialog.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  };
  dialog.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    close();
  });
  dialog.addEventListener("close", close);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  document.body.append(dialog);
  dialog.showModal();
  return close;
}

async function ways() {
  const answer = await fetch("/jump");
  if (!answer.ok) throw new Error();
  const list = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [...list.querySelectorAll(".ways a")].map((link) => ({
    href: link.getAttribute("href"),
    kind: link.dataset.kind,
    name: link.textContent,
    more: link.nextElementSibling?.textContent ?? "",
  }));
}

// Every word that is typed is in it. What begins with the first one comes before the rest.
function found(all, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (way) => {
    const text = `${way.name} ${way.more} ${way.kind}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) return -1;
    if (words.length === 0 || way.name.toLowerCase().startsWith(words[0])) return 0;
    return way.name.toLowerCase().includes(words[0]) ? 1 : 2;
  };
  const ranked = all.map((way) => [rank(way), way]).filter(([at]) => at >= 0);
  return ranked.sort(([a], [b]) => a - b).map(([, way]) => way);
}

export async function palette() {
  if (document.querySelector("dialog[open]")) return;
  const field = made("input", {
    id: "goto", type: "text", role: "combobox", autocomplete: "off", autocapitalize: "none", spellcheck: "false",
    "aria-expanded": "true", "aria-controls": "goto-list", "aria-autocomplete": "list",
  });
  const list = made("ul", { id: "goto-list", role: "listbox", "aria-label": "What there is to go to" });
  const count = made("p", { class: "found", role: "status" }, "Looking …");
  const dialog = made("dialog", { class: "palette", "aria-label": "Go to" },
    made("label", { for: "goto" }, "Go to a goal, a lane, a session, a view, or something to do"), field, list, count);
  let all = [];
  let shown = [];
  let at = 0;
  const select = (next) => {
    at = shown.length === 0 ? 0 : (next + shown.length) % shown.length;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    const item = list.children[at];
    if (!item) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", item.id);
    item.scrollIntoView({ block: "nearest" });
  };
  const show = () => {
    const matching = found(all, field.value);
    shown = matching.slice(0, SHOWN);
    list.replaceChildren(...shown.map((way, index) => {
      const item = made("li", { id: `goto-${index}`, role: "option" },
        made("span", { class: "kind" }, way.kind), made("span", {}, way.name), made("span", {}, way.more));
      item.addEventListener("click", () => go(index));
      return item;
    }));
    count.textContent = matching.length === 0 ? "Nothing is called so."
      : matching.length > shown.length ? `The first ${shown.length} of ${matching.length}: type more of its name.`
        : `${matching.length} of ${all.length}`;
    select(0);
  };
  const go = (index) => {
    const way = shown[index];
    if (!way) return;
    close();
    location.href = way.href;
  };
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: Math.min(at + 10, shown.length - 1), PageUp: Math.max(at - 10, 0) };
    if (event.key in moves) select(moves[event.key]);
    else if (event.key === "Enter") go(at);
    else return;
    event.preventDefault();
  });
  const close = opened(dialog);
  field.focus();
  try {
    all = await ways();
    show();
  } catch {
    count.textContent = "What there is can't be asked for: the connection to loopx serve is lost.";
  }
}

// `keys` are pairs of a key and what it does; `single` tells whether single keys are heard, and sets it.
export function help(keys, single) {
  if (document.querySelector("dialog[open]")) return;
  const lines = keys.flatMap(([key, does]) => [made("dt", {}, made("kbd", {}, key)), made("dd", {}, does)]);
  const box = made("input", { type: "checkbox", id: "single" });
  box.checked = single.on();
  box.addEventListener("change", () => single.set(box.checked));
  const close = made("button", { autofocus: "" }, "Close");
  const dialog = made("dialog", { "aria-labelledby": "keys" }, made("div", { class: "keys" },
    made("h2", { id: "keys" }, "Keys"), made("dl", {}, ...lines),
    made("form", { method: "dialog" }, made("label", { for: "single" }, box, " Single letters are keys"), close)));
  opened(dialog);
}
