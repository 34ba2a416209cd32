import { MessageRole as MessageRoleWord } from "@wheelhouse/domain";
import { builder } from "./builder.ts";
import { connectionType } from "./connection.ts";
import { MessageRole } from "./enums.ts";
import { globalId } from "./global-id.ts";
import { numberKey, type Order } from "./keyset.ts";
import { NestedList } from "./nested-list.ts";
import { Message } from "./refs.ts";

builder.prismaObjectFields(Message, (t) => ({
  id: t.id({ description: "The global id.", resolve: (message) => globalId("Message", message.id) }),
  role: t.field({
    type: MessageRole,
    select: { role: true },
    description: "Who speaks.",
    resolve: (message) => MessageRoleWord.parse(message.role),
  }),
  content: t.exposeString("content", { description: "The text." }),
  toolCalls: t.expose("toolCalls", {
    type: "JSON",
    nullable: true,
    description: "The tool calls that an assistant's message asks for.",
  }),
  toolCallId: t.exposeString("toolCallId", { nullable: true, description: "The call that a tool's message answers." }),
  model: t.exposeString("model", { nullable: true, description: "The model that wrote it." }),
  tokenCount: t.exposeInt("tokenCount", {
    nullable: true,
    description: "Its tokens, when the provider reported them.",
  }),
  run: t.relation("run", { nullable: true, description: "The run that made it; null when that run is gone." }),
  runId: t.id({
    nullable: true,
    select: { runId: true },
    description: "The global id of the run that made it.",
    resolve: (message) => (message.runId === null ? null : globalId("Run", message.runId)),
  }),
  seq: t.exposeInt("seq", { description: "Its place in the transcript." }),
  createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was said." }),
}));

export type MessageRow = { id: string; seq: number; sessionId: string };
export const MessageConnection = connectionType<{ id: string }>("Message", Message);

type SeqWhere = { seq?: object; sessionId?: string; OR?: ({ runId: null } | { runId: { not: string } })[] };

type SeqOrder = { seq: "asc" | "desc" };

const bySeq: Order<MessageRow, number, SeqWhere, SeqOrder> = {
  name: "SEQ",
  direction: "asc",
  read: (row) => row.seq,
  parse: numberKey,
  where: (seq) => ({ seq }),
  orderBy: (seq) => ({ seq }),
};

const parent = { field: "sessionId", of: (row: MessageRow) => row.sessionId };

export const sessionMessages = new NestedList<MessageRow, number, SeqWhere, SeqOrder>({
  name: "messages",
  order: bySeq,
  parent,
});

/** The same list for those who need the text to decide how far to go. */
export const chatMessages = new NestedList<MessageRow & { content: string }, number, SeqWhere, SeqOrder>({
  name: "chatHistory",
  order: bySeq,
  parent,
});
