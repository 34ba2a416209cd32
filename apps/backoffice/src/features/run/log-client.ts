import type { WheelhouseClient } from "@wheelhouse/client";

/** The two methods of the API client that the live pages use. */
export type LogClient = Pick<WheelhouseClient, "request" | "watch">;
