import { ProviderError } from "./provider-error.ts";

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** The media type of an image, where a provider has a list of those it reads. */
export function readImageType(mediaType: string): (typeof IMAGE_TYPES)[number] {
  const known = IMAGE_TYPES.find((type) => type === mediaType);
  if (known !== undefined) return known;
  throw new ProviderError(
    "provider_error",
    `the model reads no image of the type ${mediaType}; convert it to one of ${IMAGE_TYPES.join(", ")}`,
    { retryable: false },
  );
}
