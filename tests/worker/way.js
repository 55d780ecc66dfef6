// Way is a path of TCP to a server that breaks where it is told to, as networks do.
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { after } from "node:test";

/**
 * Opens a way to a port. Its connections are reset after as many bytes of answers and milliseconds as
 * `lasts` says for each; while it is `closed` none is made.
 * @param {() => {bytes: number, ms: number}} lasts
 */
export async function openWay(port, lasts) {
  const way = { closed: false, cuts: 0 };
  const server = createServer((near) => {
    if (way.closed) return void near.resetAndDestroy();
    const far = connect(port, "127.0.0.1");
    const end = () => (near.resetAndDestroy(), far.destroy(), clearTimeout(timer));
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    const cut = () => {
      far.pause();
      way.cuts++;
      setTimeout(end, 5); // what was written arrives
    };
    let { bytes, ms } = lasts();
    const timer = setTimeout(cut, ms);
    near.pipe(far);
    far.on("data", (data) => {
      near.write(data.subarray(0, bytes));
      bytes -= data.length;
      if (bytes <= 0) cut();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  way.address = `http://127.0.0.1:${server.address().port}`;
  return way;
}
