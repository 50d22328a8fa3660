import "virtual:mantine-styles";
import "@mantine/notifications/styles.layer.css";
import "#app/styles.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { ProofDialog } from "#app/proof-dialog.tsx";
import { queryClient } from "#app/query-client.ts";
import { router } from "#app/router.tsx";
import { cssVariables, theme } from "#app/theme.ts";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <ProofDialog />
        <Notifications position="bottom-right" autoClose={8_000} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);

/** A page that is open over an upgrade asks for chunks that are gone: the new console has them under other names. */
const RELOADED = "parley-reloaded";
addEventListener("vite:preloadError", (event) => {
  if (sessionStorage.getItem(RELOADED) === import.meta.url) return;
  sessionStorage.setItem(RELOADED, import.meta.url);
  event.preventDefault();
  location.reload();
});
