import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { type Startable, useSource } from "../data/source.ts";

interface StartDialogProps {
  readonly title: string;
  /** The first one is chosen. */
  readonly definitions: readonly Startable[];
  readonly onClose: () => void;
}

/** Starts a definition, with its own or with other models. */
export function StartDialog({ title, definitions, onClose }: StartDialogProps) {
  const source = useSource();
  const navigate = useNavigate();
  const place = useRef<HTMLDialogElement>(null);
  const [chosen, setChosen] = useState(definitions[0]);
  const [text, setText] = useState(linesOf(chosen));
  useEffect(() => place.current?.showModal(), []);
  const models = text.split(/\s+/).filter((word) => word !== "");
  const start = useMutation({
    mutationFn: () => source.start(chosen?.name ?? "", models),
    onSuccess: (id) => navigate({ to: "/evaluations/$id", params: { id } }).then(onClose),
  });
  const choose = (name: string) => {
    const found = definitions.find((definition) => definition.name === name);
    setChosen(found);
    setText(linesOf(found));
  };
  return (
    <dialog ref={place} className="card" onClose={onClose} aria-labelledby="start-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate();
        }}
      >
        <h2 id="start-title">{title}</h2>
        {definitions.length > 1 ? (
          <label className="field">
            Evaluation
            <select value={chosen?.name} onChange={({ target }) => choose(target.value)}>
              {definitions.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        ) : null}
        <label className="field">
          <span>
            Models, one <code>provider/model</code> per line
          </span>
          <textarea
            className="mono"
            rows={Math.max(3, models.length + 1)}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        {start.isError ? (
          <p role="alert" className="wrong small">
            {start.error.message}
          </p>
        ) : null}
        <div className="bar">
          <button type="submit" className="main" disabled={models.length === 0 || start.isPending}>
            Start
          </button>
          <button type="button" onClick={() => place.current?.close()}>
            Not now
          </button>
        </div>
      </form>
    </dialog>
  );
}

const linesOf = (definition: Startable | undefined): string => definition?.models.join("\n") ?? "";

/** Starts one of the definitions that the server has; shows nothing where it has none. */
export function StartButton() {
  const source = useSource();
  const [isOpen, setOpen] = useState(false);
  const { data = [] } = useQuery({
    queryKey: ["definitions"],
    queryFn: ({ signal }) => source.definitions(signal),
    refetchInterval: 30_000,
  });
  if (!source.mayAct || data.length === 0) return null;
  return (
    <>
      <button type="button" className="main" onClick={() => setOpen(true)}>
        Start an evaluation
      </button>
      {isOpen ? (
        <StartDialog title="Start an evaluation" definitions={data} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}
