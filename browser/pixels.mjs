// Opens the first screen in Chromium and says, a line of JSON each, when a lane is drawn as waiting on whom:
// `{"lane": …, "whom": …, "at": …}`, the instant in milliseconds after the frame that shows it was painted.
//
//     node pixels.mjs ADDRESS

import { launch } from "./served.mjs";

const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
await page.exposeFunction("drawn", (line) => console.log(line));
await page.goto(process.argv[2]);
await page.evaluate(() => {
  const said = new Map();
  const look = () => {
    for (const lane of document.querySelectorAll("li.lane[data-key]")) {
      if (said.get(lane.dataset.key) === lane.dataset.whom) continue;
      said.set(lane.dataset.key, lane.dataset.whom);
      // The frame after the next one begins when the next one is on the screen.
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          window.drawn(JSON.stringify({ lane: lane.dataset.key, whom: lane.dataset.whom, at: Date.now() })),
        ),
      );
    }
  };
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, attributes: true });
  look();
});
process.on("SIGTERM", async () => {
  await browser.close();
  process.exit(0);
});
