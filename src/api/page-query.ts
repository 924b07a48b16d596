import * as z from "zod";

/** The fields by which a list is read page by page. */
export const pageQuery = (most: number, usual: number) => ({
  /** `next` of the page before. */
  cursor: z.string().min(1).max(2_000).optional(),
  limit: z.coerce.number().int().min(1).max(most).default(usual),
});

export const pageRequest = ({ cursor, limit }: { cursor?: string | undefined; limit: number }) => ({
  limit,
  ...(cursor === undefined ? {} : { cursor }),
});

export const yesOrNo = z.enum(["true", "false"]).transform((text) => text === "true");

type Given<Fields> = { [Name in keyof Fields]: Exclude<Fields[Name], undefined> };

/** A filter that has only what was asked for. */
export const givenOnly = <Fields extends object>(fields: Fields): Partial<Given<Fields>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<
    Given<Fields>
  >;
