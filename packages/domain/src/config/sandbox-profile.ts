import { z } from "zod";
import { VariableName } from "./names.ts";

const Limits = z.strictObject({
  /** Cores. */
  cpus: z.number().positive().max(256).optional(),
  memoryMegabytes: z.int().positive().max(1_048_576).optional(),
  /** Processes at a time. */
  pids: z.int().positive().max(100_000).optional(),
  /** One command, seconds. */
  wallSeconds: z.number().positive().max(86_400).default(300),
});

/** Where the commands of an agent are executed, and what they may use. */
export const SandboxProfileDefinition = z
  .strictObject({
    displayName: z.string().min(1).max(200).optional(),
    /** `none` gives no tool to execute with; `local` runs unprotected and needs the operator's consent. */
    backend: z.enum(["none", "local", "bubblewrap", "docker"]),
    /** Only and always for docker. */
    image: z.string().min(1).max(500).optional(),
    limits: Limits.default({ wallSeconds: 300 }),
    network: z.enum(["none", "egress"]).default("none"),
    /** Variables of the server that commands see; none others. */
    environment: z.array(VariableName).max(100).default([]),
    /** What is idle for longer is stopped. */
    idlePolicy: z.strictObject({ maxIdleSeconds: z.int().positive().max(86_400) }).optional(),
  })
  .superRefine(({ backend, image }, context) => {
    const refuse = (message: string) => context.addIssue({ code: "custom", path: ["image"], message });
    if (backend === "docker" && image === undefined) refuse("is required for docker");
    if (backend !== "docker" && image !== undefined) refuse("is only for docker");
  });
export type SandboxProfileDefinition = z.infer<typeof SandboxProfileDefinition>;
