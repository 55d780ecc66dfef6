// Drivers open a page in a browser and give what its promise `report` becomes. Each speaks the
// protocol that the browser brings along, so that nothing has to be installed but the browser.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { open, startChromium } from "./harness.js";

/** Some browsers say that a page is there before its modules have run. */
const READ = `(async () => {
  while (!globalThis.report) await new Promise((resolve) => setTimeout(resolve, 20));
  return JSON.stringify(await report);
})()`;

/** Each browser: where it is, "" when it is not here; what would bring it; and how it is driven. */
export const browsers = [
  { name: "Chromium", here: found("chromium", "chromium-browser", "google-chrome") || process.env.CHROMIUM || "", get: "apt-get install chromium", drive: chromium },
  { name: "Firefox", here: process.env.FIREFOX || found("firefox-esr", "firefox"), get: "apt-get install firefox-esr", drive: firefox },
  { name: "WebKitGTK", here: found("WebKitWebDriver") && (process.env.DISPLAY || found("Xvfb")) && miniBrowser(), get: "apt-get install webkit2gtk-driver xvfb", drive: webkit },
];

async function chromium(url) {
  const page = await open(await startChromium(), url);
  return JSON.parse(await page.evaluate(READ));
}

/** Firefox, over WebDriver BiDi. */
async function firefox(url, path) {
  const profile = mkdtempSync(join(tmpdir(), "holdfast-firefox-"));
  const child = spawn(path, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, MOZ_HEADLESS: "1", HOME: profile },
  });
  let socket;
  try {
    const address = await said(child.stderr, /WebDriver BiDi listening on (ws:\/\/\S+)/);
    socket = new WebSocket(`${address}/session`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    let id = 0;
    const waiting = new Map();
    socket.on("message", (data) => {
      const answer = JSON.parse(data);
      const { resolve, reject } = waiting.get(answer.id) ?? {};
      if (answer.type === "success") resolve?.(answer.result);
      else reject?.(new Error(`${answer.error}: ${answer.message}`));
    });
    const ask = (method, params = {}) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, { resolve, reject });
        socket.send(JSON.stringify({ id, method, params }));
      });
    await ask("session.new", { capabilities: {} });
    const { contexts } = await ask("browsingContext.getTree");
    const context = contexts[0].context;
    await ask("browsingContext.navigate", { context, url, wait: "complete" });
    const { result, exceptionDetails } = await ask("script.evaluate", { expression: READ, target: { context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    await ask("browser.close").catch(() => {});
    return JSON.parse(result.value);
  } finally {
    socket?.terminate();
    await ended(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** WebKitGTK's small browser, over WebDriver, on a display of its own where there is none. */
async function webkit(url, binary) {
  const home = mkdtempSync(join(tmpdir(), "holdfast-webkit-"));
  const children = [];
  const start = (command, args, options) => (children.unshift(spawn(command, args, options)), children[0]);
  try {
    let display = process.env.DISPLAY;
    if (!display) {
      const x = start("Xvfb", ["-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
      display = `:${await said(x.stdio[3], /^(\d+)/)}`;
    }
    const port = await freePort();
    const plain = { WEBKIT_DISABLE_DMABUF_RENDERER: "1", WEBKIT_DISABLE_COMPOSITING_MODE: "1", LIBGL_ALWAYS_SOFTWARE: "1", GSETTINGS_BACKEND: "memory", NO_AT_BRIDGE: "1" };
    start("WebKitWebDriver", [`--port=${port}`], { stdio: "ignore", env: { ...process.env, ...plain, DISPLAY: display, HOME: home, XDG_RUNTIME_DIR: home } });
    const ask = async (path, body, method = "POST") => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
      const { value } = await response.json();
      if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
      return value;
    };
    for (let tries = 0; !(await fetch(`http://127.0.0.1:${port}/status`).catch(() => null)); tries++) {
      if (tries > 100) throw new Error("WebKitWebDriver does not answer");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { sessionId } = await ask("/session", { capabilities: { alwaysMatch: { timeouts: { script: 240_000 }, "webkitgtk:browserOptions": { binary, args: ["--automation"] } } } });
    try {
      await ask(`/session/${sessionId}/url`, { url });
      return JSON.parse(await ask(`/session/${sessionId}/execute/async`, { script: `const done = arguments[0]; ${READ}.then(done);`, args: [] }));
    } finally {
      await ask(`/session/${sessionId}`, undefined, "DELETE").catch(() => {});
    }
  } finally {
    for (const child of children) await ended(child);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Where the first of these commands is, or "". */
function found(...names) {
  for (const name of names) {
    const { status, stdout } = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  return "";
}

/** WebKitGTK's own browser lies beside its processes, in a folder of the machine's kind. */
function miniBrowser() {
  for (const folder of existsSync("/usr/lib") ? ["", ...readdirSync("/usr/lib")] : []) {
    for (const release of ["6.0", "4.1", "4.0"]) {
      for (const kind of ["webkitgtk", "webkit2gtk"]) {
        const path = join("/usr/lib", folder, `${kind}-${release}`, "MiniBrowser");
        if (existsSync(path)) return path;
      }
    }
  }
  return "";
}

/** What a process says, once it does. */
async function said(output, pattern) {
  let all = "";
  const lines = createInterface(output);
  const late = setTimeout(() => lines.close(), 60_000);
  try {
    for await (const line of lines) {
      all += `${line}\n`;
      const match = pattern.exec(line);
      if (match) return match[1];
    }
  } finally {
    clearTimeout(late);
    output.resume(); // a full pipe would stop it
  }
  throw new Error(`the browser did not start: ${all.slice(-1000)}`);
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  const late = setTimeout(() => child.kill("SIGKILL"), 5000);
  await end;
  clearTimeout(late);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
