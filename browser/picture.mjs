// Takes the pictures of the first screen in `docs/pictures/`, over the sample of `loopx demo`.
//
//     LOOPX=../target/release/loopx node picture.mjs

import { enter, home, launch, serve } from "./served.mjs";

const sample = home(true);
const { server, address, origin } = await serve(sample.env);
const browser = await launch();
try {
  const storageState = await enter(browser, address);
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ storageState, colorScheme, viewport: { width: 1120, height: 700 } });
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForSelector("#stream:text('live')");
    await page.screenshot({ path: new URL(`../docs/pictures/page-${colorScheme}.png`, import.meta.url).pathname });
  }
} finally {
  await browser.close();
  server.kill();
  sample.leave();
}
