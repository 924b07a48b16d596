import type { Spend } from "../../domain/budget.ts";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import type { LogEntry, RunBody } from "../../domain/run/log-entry.ts";
import { FailedAnswer, readByRange } from "./answers.ts";
import type { Definition, GridPage, Source, StatsByModel, TrendPoint } from "./source.ts";

/** The API that was chosen when the page was built, that the page names, or else of the server that it came from. */
const baseOf = (page: Document): string =>
  import.meta.env.VITE_API_URL ?? page.querySelector<HTMLMetaElement>('meta[name="api"]')?.content ?? ".";

/** Everything over HTTP. */
export function httpSource(readToken: () => string | null): Source {
  const base = baseOf(document).replace(/\/$/, "");
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const token = readToken();
    const answer = await fetch(`${base}${path}`, {
      ...init,
      headers: {
        accept: "application/json",
        ...init.headers,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      },
    });
    if (answer.ok) return answer;
    throw new FailedAnswer(answer.status, await reasonOf(answer));
  };
  const get = async <Data>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Data> => {
    const answer = await ask(`${path}${toSearch(query)}`, signal === undefined ? {} : { signal });
    return (await answer.json()) as Data;
  };
  const post = async <Data>(path: string, body?: unknown): Promise<Data> => {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const init = { method: "POST", ...(body === undefined ? {} : json) };
    return (await ask(path, init)).json() as Promise<Data>;
  };
  const of = (id: string, ...rest: string[]) =>
    `/evaluations/${[id, ...rest].map(encodeURIComponent).join("/")}`;
  const part = async <Part>(id: string, runId: string, round: number, name: string, signal?: AbortSignal) => {
    const path = `${of(id, "logs", runId, name)}${toSearch({ round })}`;
    const text = await readByRange((range) =>
      ask(path, { headers: { range }, ...(signal ? { signal } : {}) }),
    );
    return JSON.parse(text) as Part;
  };
  return {
    mayAct: true,
    evaluations: async (query, signal) => {
      const { evaluations, next } = await get<EvaluationPage>("/evaluations", { ...query }, signal);
      return { items: evaluations, next };
    },
    evaluation: async (id, signal) => {
      const { stats, progress, spent, ...evaluation } = await get<ViewAnswer>(of(id), {}, signal);
      const { finished, total: planned } = progress;
      return { evaluation: { ...evaluation, stats: null }, stats, progress: { finished, planned }, spent };
    },
    grid: async (id, from, hasProblems, signal) => {
      const query = { from, problems: hasProblems };
      const { problems, rows, next } = await get<GridAnswer>(of(id, "grid"), query, signal);
      return { problems, verdicts: rows.join(""), next };
    },
    rounds: async (id, run, signal) => {
      const path = of(id, "logs", run);
      return (await orNothing(get<{ rounds: readonly LogEntry[] }>(path, {}, signal)))?.rounds ?? [];
    },
    body: async (id, runId, round, signal) => {
      const parts = await orNothing(
        Promise.all([
          part<RunBody["transcript"]>(id, runId, round, "transcript", signal),
          part<RunBody["stdout"]>(id, runId, round, "stdout", signal),
          part<RunBody["stderr"]>(id, runId, round, "stderr", signal),
          part<RunBody["result"]>(id, runId, round, "result", signal),
        ]),
      );
      if (parts === null) return null;
      const [transcript, stdout, stderr, result] = parts;
      return { v: 1, transcript, stdout, stderr, result };
    },
    trend: async (name, signal) => {
      const path = `/definitions/${encodeURIComponent(name)}/trend`;
      const { evaluations } = await get<{ evaluations: readonly TrendPoint[] }>(path, { limit: 100 }, signal);
      return evaluations.toReversed();
    },
    exportFile: async (id, format) => (await ask(`${of(id, "export")}${toSearch({ format })}`)).blob(),
    cancel: async (id) => void (await post(of(id, "cancel"))),
    retry: async (id) => void (await post(of(id, "retry"))),
    definitions: async (signal) =>
      (await get<{ definitions: readonly Definition[] }>("/definitions", {}, signal)).definitions,
    start: async (wish) => (await post<{ id: string }>("/evaluations", wish)).id,
  };
}

interface EvaluationPage {
  readonly evaluations: readonly EvaluationRecord[];
  readonly next: string | null;
}

type ViewAnswer = Omit<EvaluationRecord, "stats"> & {
  readonly stats: StatsByModel;
  readonly progress: { readonly finished: number; readonly total: number };
  readonly spent: Spend | null;
};

interface GridAnswer {
  readonly problems: GridPage["problems"];
  readonly rows: readonly string[];
  readonly next: number | null;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

function toSearch(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** A run that has not ended is not there yet, which is no error. */
const orNothing = <Data>(answer: Promise<Data>): Promise<Data | null> =>
  answer.catch((error) => {
    if (error instanceof FailedAnswer && error.status === 404) return null;
    throw error;
  });

async function reasonOf(answer: Response): Promise<string> {
  const body: unknown = await answer.json().catch(() => null);
  const { error } = Object(body) as { error?: { message?: unknown } };
  return typeof error?.message === "string" ? error.message : `the server answered ${answer.status}`;
}
