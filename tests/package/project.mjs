/**
 * A fresh project with the packed package installed, as somebody has it who ran `npm install deem`.
 * The tools that build it are those of `tests/`, so that nothing is fetched.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { root } from "../lib/relay.mjs";

const run = promisify(execFile);

/** Runs a program of `tests/node_modules/.bin`; rejects with what it printed. */
export async function tool(name, args, cwd) {
  try {
    return await run(join(root, "tests/node_modules/.bin", name), args, { cwd });
  } catch (error) {
    throw new Error(`${name}: ${error.stdout}\n${error.stderr}`);
  }
}

const npm = (args, cwd) =>
  run("npm", args, { cwd, env: { ...process.env, npm_config_update_notifier: "false" } });

/** `npm pack` into a folder; the path of the tarball. */
export async function pack(folder) {
  const args = ["pack", "--silent", "--pack-destination", folder];
  const { stdout } = await npm(args, join(root, "www/packages/deem"));
  return join(folder, stdout.trim());
}

/** Installs the tarball once per folder; every project gets a copy of what npm made of it. */
async function install(folder, tarball) {
  const path = join(folder, "installed");
  if (!existsSync(path)) {
    await mkdir(path);
    await writeFile(join(path, "package.json"), '{"private": true, "type": "module"}\n');
    // Without peers: npm would fetch them.
    const args = ["install", "--silent", "--offline", "--ignore-scripts", "--legacy-peer-deps"];
    await npm([...args, "--no-audit", "--no-fund", tarball], path);
  }
  return path;
}

/**
 * A project in `folder/name` with these files and the tarball installed.
 * @param peers packages of `tests/node_modules` or `www/node_modules` that the project has as well
 */
export async function project(folder, name, tarball, files, peers = []) {
  const path = join(folder, name);
  await cp(await install(folder, tarball), path, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  }
  for (const peer of peers) {
    const target = join(path, "node_modules", peer);
    await mkdir(dirname(target), { recursive: true });
    await symlink(join(root, peersOf(peer), "node_modules", peer), target);
  }
  return path;
}

const peersOf = (peer) => (["ws"].includes(peer) ? "tests" : "www");
