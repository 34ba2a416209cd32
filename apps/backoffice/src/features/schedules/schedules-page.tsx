"use client";

import { CalendarDotsIcon, PlusIcon } from "@phosphor-icons/react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { useMutation } from "../../data/use-mutation.ts";
import { usePolling } from "../../data/use-polling.ts";
import { useQuery } from "../../data/use-query.ts";
import { useUrlParam } from "../../data/use-url-param.ts";
import { DataList } from "../../lists/data-list.tsx";
import { ListFailure } from "../../lists/list-failure.tsx";
import { ListSkeleton } from "../../lists/list-skeleton.tsx";
import { useActiveRow } from "../../lists/use-active-row.ts";
import { useIsNarrow } from "../../lists/use-is-narrow.ts";
import { useMay } from "../../shell/viewer.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { ScheduleCard, ScheduleCells, ScheduleHeader, scheduleColumns } from "./schedule-row.tsx";
import {
  deleteScheduleDocument,
  type ScheduleRow,
  schedulesDocument,
  triggerScheduleDocument,
} from "./schedules-documents.ts";

const pollMs = 5000;
/** Of the parameter `open`, when a new schedule is being made. */
const brandNew = "new";

/** Work that is submitted by the clock. */
export function SchedulesPage() {
  const { data, error, refetch } = useQuery(schedulesDocument, {});
  usePolling(pollMs, async () => refetch(), { pause: data === undefined });
  const [open, setOpen] = useUrlParam("open", { history: "push" });
  const [doomed, setDoomed] = useState<ScheduleRow | null>(null);
  const may = useMay("OPERATOR");
  const rows = data?.schedules.nodes;
  const { trigger, remove, problem, busy } = useActions(refetch);
  const opened = rows?.find(({ id }) => id === open) ?? null;
  const make = may ? (
    <Button variant="primary" icon={PlusIcon} onClick={() => setOpen(brandNew)}>
      New schedule
    </Button>
  ) : null;
  return (
    <Page title="Schedules" actions={make}>
      <div className="flex h-full min-h-0 flex-col">
        {problem === null ? null : (
          <p role="alert" className="border-b border-line bg-danger-tint px-4 py-2 text-[13px] text-danger-ink">
            {problem}
          </p>
        )}
        {rows === undefined ? (
          error === undefined ? (
            <ListSkeleton rowHeight={48} rows={6} />
          ) : (
            <ListFailure error={error} onRetry={refetch} />
          )
        ) : rows.length === 0 ? (
          <EmptyState icon={CalendarDotsIcon} title="No schedules yet" actions={make}>
            A schedule gives an agent the same work again and again: a report every morning, a look at the inbox every
            quarter of an hour.
          </EmptyState>
        ) : (
          <ScheduleRows rows={rows} actions={{ may, busy, onTrigger: trigger, onDelete: setDoomed }} />
        )}
      </div>
      <ScheduleDialog
        schedule={opened}
        open={may && (open === brandNew || opened !== null)}
        onClose={() => setOpen(null)}
        onSaved={() => {
          setOpen(null);
          refetch();
        }}
      />
      <ConfirmDialog
        open={doomed !== null}
        title={`Delete the schedule ${doomed?.name ?? ""}?`}
        action="Delete schedule"
        onCancel={() => setDoomed(null)}
        onConfirm={() => {
          if (doomed !== null) remove(doomed);
          setDoomed(null);
        }}
      >
        It will not be due again. The conversations that it began stay.
      </ConfirmDialog>
    </Page>
  );
}

/** Running and deleting, with what went wrong last. */
function useActions(refetch: () => void) {
  const router = useRouter();
  const [trigger, triggering] = useMutation(triggerScheduleDocument);
  const [remove, removing] = useMutation(deleteScheduleDocument);
  const [refusal, setRefusal] = useState<string | null>(null);
  const failure = triggering.error ?? removing.error;
  return {
    busy: triggering.running,
    problem: refusal ?? (failure === undefined ? null : describeError(failure).message),
    trigger: async (row: ScheduleRow) => {
      setRefusal(null);
      const answer = (await trigger({ id: row.id }))?.triggerSchedule;
      if (answer === undefined) return;
      if (answer.__typename === "SubmitTaskSuccess") router.push(`/conversations/${answer.session.id}`);
      else setRefusal(answer.message);
    },
    remove: async (row: ScheduleRow) => {
      setRefusal(null);
      const answer = (await remove({ id: row.id }))?.deleteSchedule;
      if (answer !== undefined && answer.__typename !== "DeleteScheduleSuccess") setRefusal(answer.message);
      refetch();
    },
  };
}

interface ScheduleRowsProps {
  rows: readonly ScheduleRow[];
  actions: Parameters<typeof ScheduleCells>[0]["actions"];
}

function ScheduleRows({ rows, actions }: ScheduleRowsProps) {
  const narrow = useIsNarrow();
  const [activeId, setActive] = useActiveRow();
  return (
    <div className="min-h-0 flex-1">
      <DataList
        label="Schedules"
        rows={rows}
        totalCount={rows.length}
        rowHeight={{ wide: 48, narrow: 84 }}
        columns={scheduleColumns}
        header={<ScheduleHeader />}
        renderRow={(row) =>
          narrow ? <ScheduleCard row={row} actions={actions} /> : <ScheduleCells row={row} actions={actions} />
        }
        activeId={activeId}
        onActive={setActive}
        onEndReached={() => undefined}
        loadingMore={false}
        failedMore={false}
      />
    </div>
  );
}
