/** The one socket of a leading tab (P3). */
import type { OpenSpaceOptions } from "../types.js";

export interface SocketEvents {
  opened(): void;
  text(text: string): void;
  binary(bytes: Uint8Array): void;
  closed(code: number, reason: string): void;
}

export interface Socket {
  text(text: string): void;
  binary(bytes: Uint8Array): void;
  close(code: number, reason: string): void;
}

/** `http(s)://host/base` or `ws(s)://host/base` to the relay's socket address. */
export function socketAddress(url: string): string {
  const address = new URL(url);
  address.protocol = address.protocol.replace("http", "ws");
  address.pathname = `${address.pathname.replace(/\/$/, "")}/v1/connect`;
  address.search = "";
  address.hash = "";
  return address.href;
}

export function openSocket(
  url: string,
  events: SocketEvents,
  Socket: NonNullable<OpenSpaceOptions["WebSocket"]>,
): Socket {
  const socket = new Socket(socketAddress(url), "deem.v1");
  socket.binaryType = "arraybuffer";
  let done = false;
  const end = (code: number, reason: string): void => {
    if (done) return;
    done = true;
    events.closed(code, reason);
  };
  socket.onopen = () => {
    if (!done) events.opened();
  };
  socket.onmessage = (message: MessageEvent<unknown>) => {
    if (done) return;
    if (typeof message.data === "string") events.text(message.data);
    else if (message.data instanceof ArrayBuffer) events.binary(new Uint8Array(message.data));
  };
  socket.onclose = (close: CloseEvent) => end(close.code, close.reason);
  return {
    text: (text) => socket.send(text),
    binary: (bytes) => socket.send(bytes as Uint8Array<ArrayBuffer>),
    close(code, reason) {
      // The engine asked for it: it need not be told, and a mute network must not delay it.
      done = true;
      socket.close(code, reason);
    },
  };
}
