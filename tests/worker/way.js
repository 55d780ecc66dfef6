// Way is a path of TCP to a server that breaks where it is told to, as networks do.
import { connect, createServer } from "node:net";
import { once } from "node:events";
import { after } from "node:test";

/**
 * Opens a way to a port. Its connections are reset after as many bytes of answers as `bytes` says for
 * each; while it is `closed` none is made.
 */
export async function openWay(port, bytes) {
  const way = { closed: false, cuts: 0, made: 0 };
  const server = createServer((near) => {
    if (way.closed) return void near.resetAndDestroy();
    way.made++;
    const far = connect(port, "127.0.0.1");
    const cut = () => (near.resetAndDestroy(), far.destroy());
    for (const socket of [near, far]) socket.on("error", cut).on("close", cut);
    let left = bytes();
    near.pipe(far);
    far.on("data", (data) => {
      near.write(data.subarray(0, left));
      left -= data.length;
      if (left > 0) return;
      far.pause();
      way.cuts++;
      setTimeout(cut, 5); // what was written arrives
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  way.address = `http://127.0.0.1:${server.address().port}`;
  return way;
}
