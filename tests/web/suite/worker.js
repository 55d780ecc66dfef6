// Worker streams one answer that is cut, where there is no window.

import { createClient } from "holdfast";

onmessage = async ({ data: { options, path, body, headers } }) => {
  const client = await createClient(options);
  const { status, text } = await client.stream(path, body, { headers }).result;
  postMessage({ status, text });
};
