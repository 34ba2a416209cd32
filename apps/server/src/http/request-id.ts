import { AsyncLocalStorage } from "node:async_hooks";

const current = new AsyncLocalStorage<string>();

/** Runs something on behalf of one request. */
export const withRequestId = <T>(requestId: string, run: () => T): T => current.run(requestId, run);

/** The request that this code runs for; undefined in long streams, which outlive the request that began them. */
export const currentRequestId = (): string | undefined => current.getStore();
