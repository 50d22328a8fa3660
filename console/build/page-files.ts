import type { Plugin } from "vite";

/** Where the names of files are put; public/first.js reads them. */
const MARK = '<script src="/console/first.js">';

type Chunk = { fileName: string; imports: string[]; viteMetadata?: { importedCss: Set<string> } };

/**
 * Names the files of each folder of pages in index.html: the folder's own, what it imports, and their styles, without what
 * every page loads. So public/first.js can ask for the page's files along with everybody's, and not after these have run.
 */
export function pageFiles(): Plugin {
  return {
    name: "page-files",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        if (!html.includes(MARK)) throw new Error(`index.html has no ${MARK}`);
        const chunks = new Map<string, Chunk>();
        for (const file of Object.values(bundle)) if (file.type === "chunk") chunks.set(file.fileName, file);
        const files: Record<string, string[]> = {};
        for (const file of Object.values(bundle)) {
          if (file.type !== "chunk") continue;
          const folder = Object.keys(file.modules)
            .map((id) => /[\\/]src[\\/]pages[\\/]([\w-]+)[\\/]/.exec(id)?.[1])
            .find((name) => name === file.name);
          if (folder !== undefined) files[folder] = filesOf(file, chunks).filter((name) => !html.includes(name));
        }
        const names = JSON.stringify(files).replaceAll('"', "&quot;");
        return html.replace(MARK, MARK.replace(">", ` data-files="${names}">`));
      },
    },
  };
}

function filesOf(chunk: Chunk, chunks: ReadonlyMap<string, Chunk>): string[] {
  const seen = new Set([chunk]);
  for (const { imports } of seen) for (const name of imports) if (chunks.has(name)) seen.add(chunks.get(name)!);
  return [...seen].flatMap(({ fileName, viteMetadata }) => [fileName, ...(viteMetadata?.importedCss ?? [])]);
}
