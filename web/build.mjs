// Builds the page's script and style into the Python package, or into the folder named as argument.
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { basemap } from "./basemap.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const place = process.argv[2] ?? join(here, "..", "src", "honem", "explore", "static");

const bundle = (entry) =>
  build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    charset: "ascii",
    absWorkingDir: here,
  }).then((result) => result.outputFiles[0].text.trim());

const licence = (name) => {
  const { version, license } = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
  return `${name} ${version} (${license})`;
};

const script = `/* honem explore; with ${["preact", "kdbush"].map(licence).join(", ")} */\n${await bundle("main.tsx")}\n`;
const style = `${await bundle("style.css")}\n`;
if (/<\/script|<!--|\r/i.test(script) || /<\/style|\r/i.test(style)) throw new Error("the page would end in its own script");

mkdirSync(place, { recursive: true });
writeFileSync(join(place, "page.js"), script);
writeFileSync(join(place, "page.css"), style);
writeFileSync(join(place, "basemap.json"), basemap(join(here, "node_modules")));
const notices = ["preact", "kdbush", "world-atlas", "us-atlas"].map((name) => `${licence(name)}\n\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}\n`);
const data = "basemap.json: made with Natural Earth (naturalearthdata.com), public domain, as packaged by world-atlas; borders of the states from the US Census\nBureau (census.gov), public domain, as packaged by us-atlas.\n";
writeFileSync(join(place, "LICENSES.txt"), [...notices, data].join("\n----\n\n"));
