"use client";

import { PlusIcon, WebhooksLogoIcon } from "@phosphor-icons/react";
import { useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { usePolling } from "../../data/use-polling.ts";
import { useQuery } from "../../data/use-query.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import { ListFailure } from "../../lists/list-failure.tsx";
import { ListSkeleton } from "../../lists/list-skeleton.tsx";
import { useMay } from "../../shell/viewer.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { DeliveryLog, useDeliveryFilters } from "./delivery-log.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { WebhookCard } from "./webhook-card.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import {
  type DeliveryRow,
  deleteWebhookDocument,
  replayDocument,
  rotateSecretDocument,
  sendTestDocument,
  type WebhookRow,
  webhooksDocument,
} from "./webhooks-documents.ts";

const pollMs = 5000;
/** Of the parameter `open`, when a new webhook is being made. */
const brandNew = "new";

/** The addresses that are told how tasks end, and what was sent to them. */
export function WebhooksPage() {
  const { data, error, refetch } = useQuery(webhooksDocument, {});
  usePolling(pollMs, async () => refetch(), { pause: data === undefined });
  const [open, setOpen] = useUrlParam("open", { history: "push" });
  const [secret, setSecret] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ what: "delete" | "rotate"; webhook: WebhookRow } | null>(null);
  const may = useMay("OPERATOR");
  const { problem, test, rotate, remove, replay } = useActions({ refetch, onSecret: setSecret });
  const rows = data?.webhooks.nodes;
  const opened = rows?.find(({ id }) => id === open) ?? null;
  const make = may ? (
    <Button variant="primary" icon={PlusIcon} onClick={() => setOpen(brandNew)}>
      New webhook
    </Button>
  ) : null;
  return (
    <Page title="Webhooks" actions={make}>
      <div className="flex h-full min-h-0 flex-col">
        {problem === null ? null : (
          <p role="alert" className="border-b border-line bg-danger-tint px-4 py-2 text-[13px] text-danger-ink">
            {problem}
          </p>
        )}
        {rows === undefined ? (
          error === undefined ? (
            <ListSkeleton rowHeight={52} rows={6} />
          ) : (
            <ListFailure error={error} onRetry={refetch} />
          )
        ) : rows.length === 0 ? (
          <EmptyState icon={WebhooksLogoIcon} title="No webhooks yet" actions={make}>
            A webhook tells another system how tasks end, with a signed message, so that nobody has to ask.
          </EmptyState>
        ) : (
          <>
            <WebhookList rows={rows} may={may} onEdit={setOpen} onTest={test} onAsk={setAsked} />
            <DeliveryLog webhooks={rows} may={may} onReplay={replay} />
          </>
        )}
      </div>
      <WebhookDialog
        webhook={opened}
        open={may && (open === brandNew || opened !== null)}
        onClose={() => setOpen(null)}
        onSaved={(made) => {
          setOpen(null);
          setSecret(made);
          refetch();
        }}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
      <ConfirmDialog
        open={asked !== null}
        title={asked?.what === "rotate" ? "Make a new signing secret?" : "Delete this webhook?"}
        action={asked?.what === "rotate" ? "New secret" : "Delete webhook"}
        onCancel={() => setAsked(null)}
        onConfirm={() => {
          if (asked?.what === "rotate") rotate(asked.webhook);
          if (asked?.what === "delete") remove(asked.webhook);
          setAsked(null);
        }}
      >
        <p className="mono mb-2 text-xs break-all">{asked?.webhook.url}</p>
        {asked?.what === "rotate"
          ? "For 24 hours messages are signed by the new secret and by the one before, so that the receiver can change over."
          : "It is told nothing more, and its deliveries go with it."}
      </ConfirmDialog>
    </Page>
  );
}

interface WebhookListProps {
  rows: readonly WebhookRow[];
  may: boolean;
  onEdit: (id: string) => void;
  onTest: (webhook: WebhookRow) => void;
  onAsk: (asked: { what: "delete" | "rotate"; webhook: WebhookRow }) => void;
}

function WebhookList({ rows, may, onEdit, onTest, onAsk }: WebhookListProps) {
  const [{ webhookId }, change] = useDeliveryFilters();
  return (
    <ul aria-label="Webhooks" className="max-h-[40%] shrink-0 overflow-y-auto border-b border-line">
      {rows.map((webhook) => (
        <WebhookCard
          key={webhook.id}
          webhook={webhook}
          chosen={webhook.id === webhookId}
          may={may}
          onChoose={() => change({ webhookId: webhook.id === webhookId ? null : webhook.id })}
          onEdit={() => onEdit(webhook.id)}
          onTest={() => onTest(webhook)}
          onRotate={() => onAsk({ what: "rotate", webhook })}
          onDelete={() => onAsk({ what: "delete", webhook })}
        />
      ))}
    </ul>
  );
}

/** What can be done with webhooks and deliveries, with what went wrong last. */
function useActions({ refetch, onSecret }: { refetch: () => void; onSecret: (secret: string) => void }) {
  const [sendTest, testing] = useMutation(sendTestDocument);
  const [rotateSecret, rotating] = useMutation(rotateSecretDocument);
  const [deleteWebhook, deleting] = useMutation(deleteWebhookDocument);
  const [replayDelivery, replaying] = useMutation(replayDocument);
  const [refusal, setRefusal] = useState<string | null>(null);
  const failure = testing.error ?? rotating.error ?? deleting.error ?? replaying.error;
  const note = (answer: object | undefined) =>
    setRefusal(answer !== undefined && "message" in answer ? String(answer.message) : null);
  return {
    problem: refusal ?? (failure === undefined ? null : describeError(failure).message),
    test: async ({ id }: WebhookRow) => note((await sendTest({ id }))?.sendTestWebhook),
    replay: async ({ id }: DeliveryRow) => note((await replayDelivery({ id }))?.replayWebhookDelivery),
    rotate: async ({ id }: WebhookRow) => {
      const answer = (await rotateSecret({ id }))?.rotateWebhookSecret;
      note(answer);
      if (answer?.__typename === "WebhookSecretSuccess") onSecret(answer.secret);
      refetch();
    },
    remove: async ({ id }: WebhookRow) => {
      note((await deleteWebhook({ id }))?.deleteWebhook);
      refetch();
    },
  };
}
