import { useMutation } from "@tanstack/react-query";
import { saveBlob } from "../data/save-blob.ts";
import { useSource } from "../data/source-context.tsx";

/** All logs of an evaluation as a file. */
export function ExportButtons({ id }: { readonly id: string }) {
  const source = useSource();
  const save = useMutation({
    mutationFn: async (format: "jsonl" | "csv") =>
      saveBlob(await source.exportFile(id, format), `${id}.${format}`),
  });
  return (
    <>
      {(["csv", "jsonl"] as const).map((format) => (
        <button key={format} type="button" disabled={save.isPending} onClick={() => save.mutate(format)}>
          {format.toUpperCase()}
        </button>
      ))}
      {save.isError ? (
        <span role="alert" className="small wrong">
          {save.error.message}
        </span>
      ) : null}
    </>
  );
}
