// Shows the first screen of another instant while the slider moves. Without it the form does.

const slider = document.getElementById("at");
const form = slider.form;
form.querySelector("button").hidden = true;

let wanted;
let asked;

function address() {
  const at = new Date((Number(slider.dataset.from) + Number(slider.value)) * 1000);
  return `/history?at=${at.toISOString().replace(/\.\d+Z$/, "Z")}`;
}

async function show() {
  asked?.abort();
  asked = new AbortController();
  const place = address();
  try {
    const answer = await fetch(place, { signal: asked.signal });
    if (!answer.ok) return;
    const made = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of ["#then", ".steps"]) document.querySelector(part).replaceWith(made.querySelector(part));
    slider.setAttribute("aria-valuetext", made.getElementById("at").getAttribute("aria-valuetext"));
    history.replaceState(null, "", place);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  }
}

slider.addEventListener("input", () => {
  clearTimeout(wanted);
  wanted = setTimeout(show, 80);
});
