const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === "23505";

// Deadlock, serialization failure, lock not available.
const transient = new Set(["40P01", "40001", "55P03"]);
export const isTransient = (error: unknown): boolean => transient.has(codeOf(error));

const socketCodes = new Set(["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"]);

/** Class 08 (connection exception), 57P0x (shut down), broken sockets; the driver names some by their message only. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code.startsWith("08") || code.startsWith("57P") || socketCodes.has(code)) return true;
  return error instanceof Error && /Connection terminated|not queryable/.test(error.message);
}
