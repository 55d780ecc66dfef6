// Worker asks where there is no window.

import { ask } from "./ask.js";

onmessage = async ({ data }) => postMessage(await ask(data).catch((error) => ({ error: String(error) })));
