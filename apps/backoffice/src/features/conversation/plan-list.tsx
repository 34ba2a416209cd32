import { CheckCircleIcon, CircleHalfIcon, CircleIcon } from "@phosphor-icons/react";
import { Spinner } from "../../ui/status.tsx";
import type { Todo } from "../run/live-view.ts";

/** The agent's plan, with what is done and what it does now, or did when the run ended. */
export function PlanList({ todos, running }: { todos: readonly Todo[]; running: boolean }) {
  if (todos.length === 0) return null;
  const done = todos.filter((todo) => todo.state === "done").length;
  return (
    <section aria-label="Plan" className="mb-4 rounded-lg border border-line px-3 py-2.5">
      <h2 className="flex items-center justify-between text-xs font-medium text-muted">
        Plan
        <span className="tnum">
          {done} of {todos.length}
        </span>
      </h2>
      <ol className="mt-1.5 space-y-1">
        {todos.map((todo, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the place in the plan is the identity of a todo.
          <li key={index} className="flex items-start gap-2 text-[13px]">
            <span className="mt-[3px] shrink-0">
              {todo.state === "done" ? (
                <CheckCircleIcon size={14} weight="fill" className="text-success" aria-label="Done" />
              ) : todo.state === "active" && running ? (
                <Spinner className="text-running" />
              ) : todo.state === "active" ? (
                <CircleHalfIcon size={14} weight="fill" className="text-faint" aria-label="Begun" />
              ) : (
                <CircleIcon size={14} className="text-faint" aria-label="To do" />
              )}
            </span>
            <span dir="auto" className={todo.state === "done" ? "text-muted" : "text-ink"}>
              {todo.content}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
