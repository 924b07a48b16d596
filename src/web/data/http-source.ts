import type {
  DefinitionList,
  EvaluationPage,
  EvaluationView,
  Grid,
  RunView,
  StartedEvaluation,
  Trend,
} from "../../api/answers.ts";
import type { RunBody } from "../../domain/run/log-entry.ts";
import { FailedAnswer, readByRange } from "./answers.ts";
import type { Source } from "./source.ts";

/** The API chosen when the page was built, else the one that the page names, else the server that it came from. */
const baseOf = (page: Document): string =>
  import.meta.env.VITE_API_URL ?? page.querySelector<HTMLMetaElement>('meta[name="api"]')?.content ?? ".";

/** Reads everything over HTTP. */
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
  const get = async <Data>(path: string, query: Query, signal: AbortSignal): Promise<Data> =>
    (await ask(`${path}${toSearch(query)}`, { signal })).json();
  const post = async <Data>(path: string, body?: object): Promise<Data> => {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    return (await ask(path, { method: "POST", ...(body === undefined ? {} : json) })).json();
  };
  const of = (id: string, ...rest: string[]) =>
    `/evaluations/${[id, ...rest].map(encodeURIComponent).join("/")}`;
  return {
    mayAct: true,
    evaluations: (query, signal) => get<EvaluationPage>("/evaluations", { ...query }, signal),
    evaluation: (id, signal) => get<EvaluationView>(of(id), {}, signal),
    grid: (id, from, problems, signal) => get<Grid>(of(id, "grid"), { from, problems }, signal),
    rounds: async (id, run, signal) =>
      (await orNothing(get<RunView>(of(id, "logs", run), {}, signal)))?.rounds ?? [],
    body: (id, runId, round, signal) => {
      const part = async <Name extends keyof RunBody>(name: Name): Promise<RunBody[Name]> => {
        const path = `${of(id, "logs", runId, name)}${toSearch({ round })}`;
        return JSON.parse(await readByRange((range) => ask(path, { headers: { range }, signal })));
      };
      const parts = Promise.all([part("transcript"), part("stdout"), part("stderr"), part("result")]);
      return orNothing(
        parts.then(([transcript, stdout, stderr, result]) => ({ v: 1, transcript, stdout, stderr, result })),
      );
    },
    trend: async (name, signal) => {
      const path = `/definitions/${encodeURIComponent(name)}/trend`;
      const { evaluations } = await get<Trend>(path, { limit: 100 }, signal);
      return evaluations.map(({ models, ...point }) => ({ ...point, stats: models })).toReversed();
    },
    exportFile: async (id, format) => (await ask(`${of(id, "export")}${toSearch({ format })}`)).blob(),
    cancel: (id) => post(of(id, "cancel")),
    retry: (id) => post(of(id, "retry")),
    definitions: async (signal) => (await get<DefinitionList>("/definitions", {}, signal)).definitions,
    start: async (evaluation, models) =>
      (await post<StartedEvaluation>("/evaluations", { evaluation, models })).id,
  };
}

type Query = Readonly<Record<string, string | number | boolean>>;

function toSearch(query: Query): string {
  const given = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

/** A run that has not ended is not there yet, which is not an error. */
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
