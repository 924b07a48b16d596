import { type Dataset, lazyDataset, type RowMap } from "./dataset.ts";

export interface HuggingFaceOptions {
  /** `default` unless given. */
  readonly config?: string;
  /** `test` unless given. */
  readonly split?: string;
  /** By default the columns `problem`, `expected`, `id` and `tags`. */
  readonly map?: RowMap;
  /** Only so many rows, from the first. */
  readonly rows?: number;
  /** For datasets that are not public. */
  readonly token?: string | undefined;
  /** Where rows are kept once they were read; a folder of this user unless given, `false` keeps none. */
  readonly cache?: string | false;
  /** Reads what is kept anew; otherwise a dataset stays as it was when it was first read. */
  readonly refresh?: boolean;
  /** Another server of the same API. */
  readonly baseUrl?: string;
}

/** The rows of a dataset on Hugging Face as problems, such as `huggingface("openai/gsm8k", { config: "main" })`. */
export const huggingface = (dataset: string, options: HuggingFaceOptions = {}): Dataset =>
  lazyDataset(async () => {
    const { readHuggingFace } = await import("./read-huggingface.ts");
    return readHuggingFace(dataset, options);
  });
