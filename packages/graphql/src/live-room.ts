import type { Clock, NewId } from "@wheelhouse/domain";
import { Subscribers } from "./subscribers.ts";

/** What the live readers of one process share. One per process, opened with the API. */
export interface LiveRoom {
  /** Names this process among the replicas. */
  readonly replica: string;
  readonly subscribers: Subscribers;
  readonly clock: Clock;
  readonly newId: NewId;
}

export const openLiveRoom = (options: { replica: string; clock: Clock; newId: NewId }): LiveRoom => ({
  ...options,
  subscribers: new Subscribers(),
});
