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

// Who is signed in is asked while the scripts load; the pages for signing in do not ask.
if (!/\/console\/(sign-in|setup|invitation)/.test(location.pathname)) {
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "fetch", href: "/v1/session", crossOrigin: "anonymous" });
  document.head.append(link);
}
