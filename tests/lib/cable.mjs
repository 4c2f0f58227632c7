/**
 * A network cable that can be pulled: a TCP proxy of a browser's own between it and the relay.
 * While cut, open connections are destroyed and new ones refused, as with no network at all.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";

export class Cable {
  #sockets = new Set();
  #server;
  #port = 0;

  constructor(targetPort) {
    /** The relay's port now; a restarted relay may have another. */
    this.targetPort = targetPort;
  }

  /** The address a browser uses. */
  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  async plug() {
    const server = createServer((near) => {
      const far = connect(this.targetPort, "127.0.0.1");
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => socket.destroy());
        socket.on("close", () => {
          this.#sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far);
      far.pipe(near);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = server.address().port;
    this.#server = server;
  }

  async cut() {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
