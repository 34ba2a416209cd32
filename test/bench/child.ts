import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** What a child process can be asked to do, by name. Arguments and answers are plain data. */
export type Tasks = Record<string, (input: never) => Promise<unknown>>;

const Call = z.object({ id: z.number(), task: z.string(), input: z.unknown() });
const Answer = z.object({ id: z.number(), value: z.unknown(), error: z.string().optional() });

/** A process of the suite, with its own core to run on. */
export interface Child<T extends Tasks> extends AsyncDisposable {
  call<K extends keyof T & string>(task: K, input: Parameters<T[K]>[0]): Promise<Awaited<ReturnType<T[K]>>>;
}

/** Starts `module` in a process of its own; the module calls `serveTasks`. */
export async function startChild<T extends Tasks>(module: URL): Promise<Child<T>> {
  const child = fork(fileURLToPath(module), {
    execArgv: ["--import", "tsx", "--expose-gc", ...profiling()],
    serialization: "advanced",
  });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  child.on("message", (message) => {
    const { id, value, error } = Answer.parse(message);
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  });
  const exited = new Promise<void>((resolve) => {
    child.once("exit", (code) => {
      for (const call of waiting.values()) call.reject(new Error(`A process of the suite ended with ${code}`));
      resolve();
    });
  });
  const call: Child<T>["call"] = async (task, input) => {
    calls += 1;
    const id = calls;
    const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
    child.send({ id, task, input });
    // Both ends are this suite: `T` is what the module serves.
    return (await answer) as never;
  };
  return {
    call,
    async [Symbol.asyncDispose]() {
      await endChild(child, exited);
    },
  };
}

async function endChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.disconnect();
  const insist = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await exited;
  clearTimeout(insist);
}

/** With BENCH_PROFILE=<folder>, every child writes a CPU profile there. */
const profiling = (): string[] =>
  process.env.BENCH_PROFILE === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${process.env.BENCH_PROFILE}`];

/** Answers the calls of the parent until it lets go. */
export function serveTasks(tasks: Tasks): void {
  process.on("message", (message) => {
    const { id, task, input } = Call.parse(message);
    const run = tasks[task];
    const answer = run === undefined ? Promise.reject(new Error(`There is no task ${task}`)) : run(input as never); // parsed by the task's own type
    answer.then(
      (value) => process.send?.({ id, value }),
      (error: unknown) =>
        process.send?.({
          id,
          value: null,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
  process.on("disconnect", () => process.exit(0));
}
