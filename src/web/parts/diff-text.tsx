import { useQuery } from "@tanstack/react-query";
import { plainText } from "../data/plain-text.ts";
import { LongText } from "./long-text.tsx";

/** Longer texts take too long to compare. */
const LONGEST = 20_000;

/** What was expected against what came: what is missing is struck out, what was added is underlined. */
export function DiffText({ expected, came }: { readonly expected: string; readonly came: string }) {
  const isShort = expected.length <= LONGEST && came.length <= LONGEST;
  const query = useQuery({
    queryKey: ["diff", expected, came],
    queryFn: async () => (await import("diff")).diffWordsWithSpace(expected, came),
    enabled: isShort,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isShort || query.data === undefined) return <LongText text={came} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it with the keys.
    <pre className="text" role="region" tabIndex={0} aria-label="Difference">
      {query.data.map(({ value, added, removed }, index) => {
        const text = plainText(value);
        if (added) return <ins key={index}>{text}</ins>;
        if (removed) return <del key={index}>{text}</del>;
        return <span key={index}>{text}</span>;
      })}
    </pre>
  );
}
