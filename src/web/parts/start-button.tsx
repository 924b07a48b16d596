import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSource } from "../data/source-context.tsx";
import { StartDialog } from "./start-dialog.tsx";

/** Starts one of the definitions that the server knows; nothing where it knows none. */
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
