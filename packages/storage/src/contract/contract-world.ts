import type { Authority, Clock, NewId } from "@wheelhouse/domain";
import type { Storage } from "../port.ts";
import type { PrismaClient } from "../prisma/models.ts";

/** What the contract asks of whoever runs it: a storage over a fresh database with two projects, acme and globex. */
export interface ContractWorld extends AsyncDisposable {
  storage: Storage;
  /** For looking at the rows themselves. */
  models: PrismaClient;
  clock: Clock & { advance(ms: number): void };
  newId: NewId;
  /** Of acme. */
  projectId: string;
  /** Of globex. */
  otherProjectId: string;
  /** Texts of the statements sent so far; a test may empty it. */
  statements: string[];
  /** Somebody with project reach in acme and every right, unless said otherwise. */
  authority(more?: Partial<Authority>): Authority;
  /** Another process over the same database; null where there can be none. The world closes it. */
  openSecond(): Promise<Storage | null>;
}

export type OpenContractWorld = () => Promise<ContractWorld>;
