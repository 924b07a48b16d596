import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { EvaluationRecord } from "../../domain/evaluation.ts";
import { modelKeys } from "../data/model-keys.ts";
import { useSource } from "../data/source-context.tsx";

interface StartDialogProps {
  readonly evaluation: EvaluationRecord;
  readonly onClose: () => void;
}

/** Starts the same definition once more, with the same or with other models. */
export function StartDialog({ evaluation, onClose }: StartDialogProps) {
  const source = useSource();
  const navigate = useNavigate();
  const place = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState(modelKeys(evaluation).join("\n"));
  useEffect(() => place.current?.showModal(), []);
  const models = text.split(/\s+/).filter((word) => word !== "");
  const start = useMutation({
    mutationFn: () => source.start({ evaluation: evaluation.name, models }),
    onSuccess: (id) => navigate({ to: "/evaluations/$id", params: { id } }).then(onClose),
  });
  return (
    <dialog ref={place} onClose={onClose} aria-labelledby="start-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate();
        }}
      >
        <h2 id="start-title">Start {evaluation.name} again</h2>
        <label className="small">
          Models, one <code>provider/model</code> per line
          <textarea
            className="mono"
            rows={Math.max(3, models.length + 1)}
            style={{ width: "100%" }}
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
