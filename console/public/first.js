// The scheme that was chosen, before the first paint: Mantine keeps it under this name, and sets it again once it runs.
(() => {
  let chosen = "auto";
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  } catch {
    // Storage may be forbidden: then the system's scheme is taken.
  }
  const isDark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();

// What the page will ask for is asked for while the scripts load; the pages for signing in ask for nothing.
(() => {
  const [folder = "home", id] = location.pathname.split("/").filter(Boolean).slice(1);
  if (["sign-in", "sign-on", "setup", "invitation"].includes(folder)) return;
  // `/console/constructor` is no page, though every object has that.
  const its = (pages) => (Object.hasOwn(pages, folder) ? pages[folder] : []);
  const files = its(JSON.parse(document.currentScript?.dataset.files ?? "{}"));
  const ask = (rel, href, as) => {
    const link = document.createElement("link");
    Object.assign(link, { rel, href, ...(as ? { as } : {}), crossOrigin: "anonymous" });
    document.head.append(link);
  };
  for (const file of files) {
    if (file.endsWith(".css")) ask("preload", `/console/${file}`, "style");
    else ask("modulepreload", `/console/${file}`);
  }
  ask("preload", "/v1/session", "fetch");
  let organization = null;
  try {
    // Nobody who has signed out asks.
    if (localStorage.getItem("parley-session") !== null) organization = localStorage.getItem("parley-organization");
  } catch {
    // As above.
  }
  if (organization === null || location.search !== "") return;
  // Word for word what the page asks for first, or it is asked for twice: test/browser/every-page.test.ts counts them.
  const of = `organization_id=${organization}`;
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone);
  const first = {
    home: [`overview?${of}&time_zone=${zone}`, `sms/threads?${of}&limit=20`],
    agents: [`agents?limit=100&${of}`],
    playground: [`agents?${of}&limit=500`],
    calls: [`voice/calls?limit=100&${of}`],
    extractions: [`extractions?limit=100&${of}`],
  };
  if (id === undefined) for (const path of its(first)) ask("preload", `/v1/${path}`, "fetch");
  else if (folder === "conversations") ask("preload", `/v1/sms/threads/${id}`, "fetch");
})();
