import { BodyStoreError, bodyMissing } from "../body-store.ts";

const namesOfMissing = new Set(["NoSuchKey", "NotFound"]);

/**
 * Does something over S3. What fails is told by its short name alone: messages of servers and of the SDK carry hosts,
 * keys and access ids.
 */
export async function overS3<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

export const isMissing = (error: unknown): boolean => error instanceof BodyStoreError && error.code === "BODY_MISSING";

function failureOf(error: unknown): BodyStoreError {
  if (error instanceof BodyStoreError) return error;
  const name = shortName(error);
  if (namesOfMissing.has(name)) return bodyMissing();
  return new BodyStoreError("STORE_UNAVAILABLE", "The object store did not do it", name);
}

/** A name such as AccessDenied or ECONNREFUSED: of the S3 error, or of what happened to the connection. */
function shortName(error: unknown): string {
  if (!(error instanceof Error)) return "Error";
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const status = "$metadata" in error ? statusOf(error.$metadata) : "";
  const named = error.name === "Error" || error.name === "UnknownError" ? code || status : error.name;
  return /^[A-Za-z0-9]{1,60}$/.test(named) ? named : "Error";
}

const statusOf = (metadata: unknown): string =>
  typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata
    ? `status${String(metadata.httpStatusCode)}`
    : "";
