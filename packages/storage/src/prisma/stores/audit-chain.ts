import type { Actor } from "@wheelhouse/domain";
import { digestOf } from "@wheelhouse/domain/digest";
import { int, text } from "../rows.ts";
import type { Tx } from "../sql.ts";
import { storableJsonText } from "../write-set.ts";
import type { StoreContext } from "./context.ts";

/** What somebody did. */
export interface AuditFact {
  actor: Actor;
  /** For example `config.updated`. */
  action: string;
  subjectKind: string;
  subjectId: string;
  before: unknown;
  after: unknown;
  reason: string | null;
  at: Date;
}

/** A project's audit entries, from the last on. Each holds the hash of the one before, so none can be changed or left out. */
export interface AuditChain {
  append(fact: AuditFact): void;
}

/**
 * Locks the project's row until the end of the transaction: its audit entries and the changes of its configuration are
 * each one line, and whoever stands in it decides on what the one before left. Rows that refer to the project (sessions,
 * runs …) are not in the way: they need it to exist, not to rest.
 */
export async function lockProject(context: StoreContext, tx: Tx, projectId: string): Promise<void> {
  const [row] = await tx.query(`SELECT p.id FROM projects p WHERE p.id = $1 ${context.dialect.lock("p")}`, [projectId]);
  if (row === undefined) throw new Error("The project does not exist");
}

/** Goes on with a project's audit entries. The project must be locked; see lockProject. */
export async function openAuditChain(context: StoreContext, tx: Tx, projectId: string): Promise<AuditChain> {
  const [last] = await tx.query(
    "SELECT position, hash FROM audit_entries WHERE chain = $1 ORDER BY position DESC LIMIT 1",
    [projectId],
  );
  let position = last === undefined ? 0 : int(last, "position");
  let prevHash = last === undefined ? null : text(last, "hash");
  return {
    append(fact) {
      position++;
      const { actor, at, ...said } = fact;
      const content = {
        ...{ chain: projectId, position, actor: { kind: actor.kind, id: actor.id }, at: at.toISOString() },
        // As they are stored, so that the hash can be checked from the row.
        ...said,
        before: storedForm(said.before),
        after: storedForm(said.after),
      };
      const hash = digestOf({ prevHash, ...content });
      tx.write([
        {
          op: "insert",
          table: "audit_entries",
          rows: [
            {
              id: context.newId(),
              chain: projectId,
              project_id: projectId,
              position,
              actor_kind: actor.kind,
              actor_id: actor.id,
              action: fact.action,
              subject_kind: fact.subjectKind,
              subject_id: fact.subjectId,
              before: content.before,
              after: content.after,
              reason: fact.reason,
              prev_hash: prevHash,
              hash,
              created_at: at,
            },
          ],
        },
      ]);
      prevHash = hash;
    },
  };
}

const storedForm = (value: unknown): unknown => JSON.parse(storableJsonText(value));
