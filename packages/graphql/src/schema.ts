import type { GraphQLSchema } from "graphql";
import "./scalars.ts";
import "./viewer.ts";
import "./agent.ts";
import "./session.ts";
import "./message.ts";
import "./task.ts";
import "./run.ts";
import "./step.ts";
import "./model-call.ts";
import "./interrupt.ts";
import "./event.ts";
import "./event-streams.ts";
import "./sessions-live.ts";
import "./node.ts";
import { builder } from "./builder.ts";

/** Builds the schema from the nouns above. */
export const buildSchema = (): GraphQLSchema => builder.toSchema();
