import { expect, it } from "vitest";
import { offeredAgents } from "./offered-agents.ts";
import type { AgentName } from "./use-agent-names.ts";

const agent = (name: string, more: Partial<AgentName> = {}): AgentName => ({
  ...{ id: `Agent_${name}`, name, displayName: name, description: null, source: "API" },
  ...{ mode: "ALL", hidden: false, ...more },
});
const agents = [
  agent("both"),
  agent("people", { mode: "PRIMARY" }),
  agent("helper", { mode: "SUBAGENT" }),
  agent("secret", { hidden: true }),
];

it("offers what people work with and is not hidden; a hidden one only where it is chosen already", () => {
  const names = (chosen: string | null) => offeredAgents(agents, chosen).map(({ name }) => name);
  expect(names(null)).toEqual(["both", "people"]);
  expect(names("secret")).toEqual(["both", "people", "secret"]);
  expect(names("helper")).toEqual(["both", "people"]);
});
