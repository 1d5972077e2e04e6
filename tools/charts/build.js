// plotly.js with the marks that pages draw (scatter, bar, box, heat map), without the components
// that none uses and without the words that describe its attributes: a fifth of the whole.
//
//   node build.js BUNDLE LICENCES

import { readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { build } from "esbuild";

const [bundle, licences] = process.argv.slice(2);
const version = JSON.parse(await readFile("node_modules/plotly.js/package.json", "utf8")).version;

const ENTRY = `
const Plotly = require("plotly.js/lib/core");
Plotly.register([
  require("plotly.js/lib/bar"),
  require("plotly.js/lib/box"),
  require("plotly.js/lib/heatmap"),
]);
module.exports = Plotly;
`;
const UNUSED =
  /^\.\/(components\/(annotations3d|images|updatemenus|sliders|rangeslider|rangeselector|grid)|plot_api\/plot_schema)$/;
const TEXT = String.raw`(?:'(?:[^'\\\n]|\\.)*')`;
const DESCRIPTION = new RegExp(
  String.raw`\bdescription: (?:\[(?:\s|,|${TEXT})*\]\.join\(${TEXT}\)|${TEXT})(?=\s*[,}\n])`,
  "g",
);

const slim = {
  name: "slim",
  setup(made) {
    made.onResolve({ filter: UNUSED }, ({ path, importer }) =>
      importer.endsWith(join("src", "core.js"))
        ? { path: path.split("/").pop(), namespace: "unused" }
        : undefined,
    );
    made.onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({
      contents: `module.exports = { moduleType: "component", name: ${JSON.stringify(path)} };`,
    }));
    made.onLoad({ filter: /plotly\.js\/src\/.*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(DESCRIPTION, "description: ''"),
    }));
  },
};

const made = await build({
  stdin: { contents: ENTRY, resolveDir: "." },
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "Plotly",
  define: { global: "window" },
  target: "es2020",
  legalComments: "none",
  loader: { ".css": "empty" },
  plugins: [slim],
  banner: {
    js: `/* plotly.js ${version} (a part of it), Copyright Plotly, Inc., MIT license; with d3 and others: see Latitude's NOTICE */`,
  },
  outfile: bundle,
  metafile: true,
});

// The licence of each package that something was taken from.
const used = new Set();
for (const [path, { bytesInOutput }] of Object.entries(Object.values(made.metafile.outputs)[0].inputs)) {
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules");
  if (at < 0 || !bytesInOutput) continue;
  const name = parts[at + 1].startsWith("@") ? 2 : 1;
  used.add(parts.slice(0, at + 1 + name).join(sep));
}
const texts = [];
for (const folder of [...used].sort()) {
  const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  const text = file ? (await readFile(join(folder, file), "utf8")).trim() : `License: ${about.license}`;
  texts.push(`${about.name} ${about.version} (${about.license})\n\n${text}\n`);
}
await writeFile(licences, texts.join(`\n${"-".repeat(72)}\n\n`));
