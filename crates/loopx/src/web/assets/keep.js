// Putting one element in another's place: what is focused, open and held there stays so.

const NAMED = "[data-key], [id]";

const named = (element) => (element.id ? `#${CSS.escape(element.id)}` : `[data-key="${CSS.escape(element.dataset.key)}"]`);

function alike(element, place) {
  const says = (one) => [one.tagName, one.name, one.value, one.getAttribute("href"), one.tagName === "SUMMARY" ? one.textContent : ""].join("\n");
  return [...place.querySelectorAll(element.tagName)].filter((one) => says(one) === says(element));
}

// What finds in the document the element that comes in this one's place: the nearest one with a name, and which of its
// like it is in there.
function finder(element) {
  const place = element.closest(NAMED);
  if (!place) return () => null;
  const at = place === element ? -1 : alike(element, place).indexOf(element);
  return () => {
    const found = document.querySelector(named(place));
    if (!found || at < 0) return found;
    return alike(element, found)[at] ?? found;
  };
}

// Does `change` to what is inside `root`; what had the focus there has it afterwards, and what was open is.
export function keep(root, change) {
  const focused = root?.contains(document.activeElement) ? finder(document.activeElement) : null;
  const open = root ? [...root.querySelectorAll("details[open] > summary")].map(finder) : [];
  change();
  for (const find of open) {
    const details = find()?.closest("details");
    if (details) details.open = true;
  }
  if (!focused || document.activeElement !== document.body) return;
  const found = focused();
  if (!found) return document.getElementById("main").focus({ preventScroll: true });
  if (found.tabIndex < 0 && !found.hasAttribute("tabindex")) found.tabIndex = -1;
  found.focus({ preventScroll: true });
}
