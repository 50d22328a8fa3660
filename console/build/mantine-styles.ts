import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);
const NAME = "virtual:mantine-styles";
/** What Mantine's own sheet begins with; it belongs to no component. */
const BASE = ["baseline", "default-css-variables", "global"];

/**
 * Every component of Mantine brings its own styles, and none that no page uses: the whole sheet is 40 kB compressed.
 * A component's file imports those it is made of first, so the styles come in their order too. While developing, Mantine
 * is one bundle of Vite's making: there the whole sheet is taken.
 */
export function mantineStyles(): Plugin {
  const folder = dirname(require.resolve("@mantine/core/styles/global.css"));
  let isBuild = true;
  return {
    name: "mantine-styles",
    configResolved({ command }) {
      isBuild = command === "build";
    },
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load(id) {
      if (id !== `\0${NAME}`) return undefined;
      const sheets = isBuild
        ? BASE.map((name) => `@mantine/core/styles/${name}.layer.css`)
        : ["@mantine/core/styles.layer.css"];
      return sheets.map((sheet) => `import "${sheet}";`).join("\n");
    },
    transform(code, id) {
      const [, component] = /@mantine\/core\/esm\/.*\/(\w+)\.module\.mjs$/.exec(id) ?? [];
      if (component === undefined || !existsSync(join(folder, `${component}.layer.css`))) return undefined;
      return { code: `import "@mantine/core/styles/${component}.layer.css";\n${code}`, map: null };
    },
  };
}
