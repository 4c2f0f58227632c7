import { defineConfig } from "vite";

const relay = process.env.DEEM_RELAY ?? "http://127.0.0.1:4870";

export default defineConfig({
  build: { target: "es2022" },
  server: { proxy: { "/v1": { target: relay, ws: true } } },
});
