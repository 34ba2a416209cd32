import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiWorld, openApiWorld, type Parsed } from "./api-world.ts";
import { databaseKinds } from "./databases.ts";
import { overPlainHttp, overWebSocket } from "./transports.ts";

interface Row {
  id: string;
  title: string | null;
  status: string;
  messageCount: number;
  lastActivityAt: string;
}
interface Patch {
  upserted: Row[];
  removed: string[];
  gone: string[];
  order: string[];
  totalCount: number | null;
  totalCountIsExact: boolean | null;
}

const rowFields = "id title status messageCount lastActivityAt";
const liveDocument = `subscription ($filter: SessionFilter, $first: Int, $orderBy: SessionOrder) {
  sessionsLive(filter: $filter, first: $first, orderBy: $orderBy) {
    upserted { ${rowFields} } removed gone order totalCount totalCountIsExact } }`;
const listDocument = `query ($filter: SessionFilter, $first: Int, $orderBy: SessionOrder) {
  sessions(filter: $filter, first: $first, orderBy: $orderBy) { nodes { ${rowFields} } totalCount } }`;

interface List {
  filter?: object;
  first: number;
  orderBy?: string;
}

/** A reader that does nothing but lay patches over each other. */
class Folded {
  readonly rows = new Map<string, Row>();
  order: string[] = [];
  totalCount: number | null = null;
  patches: Patch[] = [];

  lay(patch: Patch): void {
    this.patches.push(patch);
    for (const id of patch.removed) this.rows.delete(id);
    for (const row of patch.upserted) this.rows.set(row.id, row);
    this.order = patch.order;
    this.totalCount = patch.totalCount;
  }

  get list(): (Row | undefined)[] {
    expect(this.rows.size).toBe(this.order.length);
    return this.order.map((id) => this.rows.get(id));
  }
}

/** The same pseudo-random numbers in every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each(databaseKinds)("live lists on %s", { timeout: 120_000 }, (kind) => {
  let world: ApiWorld;
  let key: string;
  beforeAll(async () => {
    world = await openApiWorld({ kind, tunables: { listPollMs: 300, listDebounceMs: 10 } });
    key = await world.makeKey();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const listeners = (): unknown => Reflect.get(world.server.installation.runtime.storage.wakeUps, "size");
  const create = async (title: string): Promise<string> => {
    const { data } = await world.ask(
      key,
      `mutation { createSession(input: { agent: "echo", title: "${title}" }) { ... on Session { id } } }`,
    );
    return data.createSession.id;
  };
  const rename = (id: string, title: string) =>
    world.ask(key, `mutation { updateSession(input: { sessionId: "${id}", title: "${title}" }) { __typename } }`);
  const say = (id: string) =>
    world.ask(key, `mutation { sendMessage(input: { sessionId: "${id}", content: "go" }) { __typename } }`);
  // Also what happens without a wake-up is seen, by the next look.
  const remove = (id: string) =>
    world.server.installation.models.session.deleteMany({ where: { id: id.replace("Session_", "") } });

  /** Follows a list until the returned function is called. */
  function follow(list: List): { folded: Folded; leave: () => Promise<void> } {
    const folded = new Folded();
    const left = new AbortController();
    const { signal } = left;
    const stream = overWebSocket<Patch>(world, key, { query: liveDocument, variables: { ...list }, signal });
    const reading = (async () => {
      for await (const patch of stream) folded.lay(patch);
    })();
    return {
      folded,
      async leave() {
        left.abort();
        await reading;
      },
    };
  }

  const settled = async (list: List, folded: Folded): Promise<void> => {
    await expect
      .poll(
        async () => {
          const { nodes, totalCount } = (await world.ask(key, listDocument, list)).data.sessions;
          return JSON.stringify([nodes, totalCount]) === JSON.stringify([folded.list, folded.totalCount]);
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(true);
  };

  it.each([1, 2])("folded, the patches are the list, whatever happened to it (%i)", async (seed) => {
    const random = randomFrom(seed);
    const lists: List[] = [
      { first: 5 },
      { first: 50, filter: { text: `alpha ${seed}` } },
      { first: 4, orderBy: "CREATED_ASC", filter: { text: `${seed}` } },
      { first: 10, filter: { statuses: ["BUSY"] } },
    ];
    const followed = lists.map((list) => follow(list));
    await expect.poll(() => followed.every(({ folded }) => folded.patches.length > 0), { timeout: 30_000 }).toBe(true);
    const ids: string[] = [];
    const titles = [`alpha ${seed}`, `beta ${seed}`, `Alpha ${seed} and beta`];
    const title = (): string => titles[random(titles.length)] ?? "";
    for (let step = 0; step < 60; step++) {
      const id = ids[random(ids.length)];
      const what = random(10);
      if (id === undefined || what < 3) ids.push(await create(title()));
      else if (what < 6) await rename(id, title());
      else if (what < 9) await say(id);
      else {
        await remove(id);
        ids.splice(ids.indexOf(id), 1);
      }
    }
    for (const [i, list] of lists.entries()) {
      const one = followed[i];
      if (one === undefined) throw new Error("every list is followed");
      await settled(list, one.folded);
      expect(one.folded.patches.every((patch) => patch.order.length <= list.first)).toBe(true);
      await one.leave();
    }
  });

  it("says of a row that left whether it is gone or only further back, and what is counted", async () => {
    const list: List = { first: 2, filter: { text: "further" } };
    const { folded, leave } = follow(list);
    const first = await create("further one");
    const second = await create("further two");
    await expect.poll(() => folded.order, { timeout: 30_000 }).toEqual([second, first]);
    expect(folded.totalCount).toBe(2);
    const third = await create("further three");
    await expect.poll(() => folded.order, { timeout: 30_000 }).toEqual([third, second]);
    expect(folded.patches.at(-1)).toMatchObject({ removed: [first], gone: [], totalCount: 3, totalCountIsExact: true });
    // Only the count changes: the row stands behind the end of the list.
    await rename(first, "elsewhere");
    await expect.poll(() => folded.totalCount, { timeout: 30_000 }).toBe(2);
    expect(folded.patches.at(-1)).toMatchObject({ upserted: [], removed: [], totalCount: 2 });
    await rename(third, "elsewhere too");
    await expect.poll(() => folded.order, { timeout: 30_000 }).toEqual([second]);
    expect(folded.patches.at(-1)).toMatchObject({ removed: [third], gone: [third] });
    await leave();
  });

  it("has one reader for all who follow the same list with the same reach, and lets it go with the last", async () => {
    // The readers of the test before have been noticed to be gone.
    const subscribers = async (): Promise<unknown[]> =>
      (await world.ask(key, "{ admin { subscribers { id } } }")).data.admin.subscribers;
    await expect.poll(subscribers, { timeout: 30_000 }).toEqual([]);
    const before = listeners();
    const query = liveDocument;
    const variables = { first: 3, filter: { text: "shared" } };
    const exact = await world.makeKey({ reach: "EXACT", scope: { user: "u-1" } });
    const viewers = Array.from({ length: 20 }, (_, i) =>
      (i % 2 === 0 ? overWebSocket : overPlainHttp)<Patch>(world, key, { query, variables }),
    );
    await Promise.all(viewers.map((viewer) => viewer.next()));
    expect(listeners()).toBe(Number(before) + 1);
    const other = overWebSocket<Patch>(world, exact, { query, variables });
    await other.next();
    expect(listeners()).toBe(Number(before) + 2);
    const waiting = viewers.map((viewer) => viewer.next());
    const id = await create("shared by all");
    for (const { value } of await Promise.all(waiting)) expect((value as Parsed).order).toEqual([id]);
    await Promise.all(viewers.map((viewer) => viewer.return(undefined)));
    await expect.poll(listeners, { timeout: 30_000 }).toBe(Number(before) + 1);
    await other.return(undefined);
    await expect.poll(listeners, { timeout: 30_000 }).toBe(before);
  });
});
