import { defineConfig } from "vite";

/** Where `npm run dev` finds the relay. */
const relay = process.env["DEEM_RELAY"] ?? "http://127.0.0.1:4870";

export default defineConfig({
  build: { target: "es2022", modulePreload: { polyfill: false } },
  optimizeDeps: { exclude: ["deem"] },
  server: { proxy: { "/v1": { target: relay, ws: true } } },
});
