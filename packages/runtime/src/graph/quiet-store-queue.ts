import { AsyncBatchedStore, type BaseStore, type Operation } from "@langchain/langgraph-checkpoint";

/**
 * Makes LangGraph hand operations on a memory store over at once.
 *
 * LangGraph wraps the store of every run in a queue that it polls with `setTimeout(0)` for as long as the run lasts,
 * used or not: a run that waits for a model wakes the process about a thousand times a second (50 such runs took a
 * tenth of a core), and ending a run waits for the poll. There is no option for it, and no seam but the class.
 * Operations then go one by one, which is what graphs that await each of them saw before.
 */
export function quietStoreQueue(): void {
  const queue = AsyncBatchedStore.prototype;
  Reflect.set(queue, "start", function start(this: { running: boolean }): void {
    this.running = true;
  });
  Reflect.set(queue, "enqueueOperation", async function enqueue(this: { store: BaseStore }, operation: Operation) {
    const [result] = await this.store.batch([operation]);
    return result;
  });
}
