import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./app.css";
import { retryRule } from "./data/answers.ts";
import { readToken, takeTokenFromAddress } from "./data/browser.ts";
import { httpSource } from "./data/http-source.ts";
import { REPORT_PLACE, reportSource } from "./data/report-source.ts";
import { SourceProvider } from "./data/source.ts";
import { makeRouter } from "./router.tsx";

const place = document.getElementById("app");
takeTokenFromAddress();
const report = document.getElementById(REPORT_PLACE)?.textContent;
const source = report ? reportSource(JSON.parse(report)) : httpSource(readToken);
const queries = new QueryClient({ defaultOptions: { queries: { retry: retryRule, staleTime: 1_000 } } });
const router = makeRouter();

if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <SourceProvider value={source}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </SourceProvider>
    </StrictMode>,
  );
}
