// Launch is how the tests start Chromium: only with what a page needs. Each window has pages of its own for
// the address bar, which together cost more than the page that is tested.

import { existsSync } from "node:fs";

/** Options for Playwright's launch. */
export function launchOptions() {
  const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("no Chromium found: apt-get install chromium, or name one in CHROMIUM");
  return {
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup"],
  };
}
