"use client";

import { FileDashedIcon, FilePdfIcon } from "@phosphor-icons/react";
import { type ReactNode, useMemo, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { formatBytes } from "../../ui/format.ts";
import { JsonTree } from "../../ui/json-tree.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Scroller } from "../../ui/scroller.tsx";
import { EmptyState, ErrorState, Loading, Skeleton } from "../../ui/states.tsx";
import type { VersionRow } from "./artifacts-documents.ts";
import { CsvTable } from "./csv-table.tsx";
import { DownloadLink } from "./download-link.tsx";
import { hasOwnLook, isShownAsText, type Preview, previewOf } from "./preview-kind.ts";
import { type TextBody, textStep, useBlobBody, useTextBody } from "./use-body.ts";

/** Images and PDF of up to this many bytes are fetched without asking. */
const unaskedBytes = 16 * 1024 * 1024;

export interface ArtifactPreviewProps {
  name: string;
  version: VersionRow;
  /** Shows what is written instead of what it means. */
  source: boolean;
  onSource: (source: boolean) => void;
}

/** A version of an artifact, shown by its type. */
export function ArtifactPreview({ name, version, source, onSource }: ArtifactPreviewProps) {
  const preview = previewOf(version.contentType, name);
  if (isShownAsText(preview)) return <TextPreview key={version.id} {...{ name, version, preview, source, onSource }} />;
  if (preview.kind === "none")
    return (
      <EmptyState icon={FileDashedIcon} title="No preview of this type" actions={<DownloadLink url={version.url} />}>
        {version.contentType}, {formatBytes(version.bytes)}. Download it to open it with a program of yours.
      </EmptyState>
    );
  return <BlobPreview key={version.id} name={name} version={version} kind={preview.kind} />;
}

function TextPreview({ name, version, preview, source, onSource }: ArtifactPreviewProps & { preview: Preview }) {
  const body = useTextBody(version.url, version.bytes, version.contentType);
  if (body.text === null)
    return body.error === undefined ? <PreviewSkeleton /> : <Failed error={body.error} onRetry={body.more} />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Bar>
        {hasOwnLook(preview) ? (
          <span className="flex gap-0.5">
            {[false, true].map((each) => (
              <button
                key={String(each)}
                type="button"
                aria-pressed={source === each}
                onClick={() => onSource(each)}
                className="h-6 rounded-md px-2 text-xs font-medium text-muted hover:bg-hover hover:text-ink aria-pressed:bg-selected aria-pressed:text-ink"
              >
                {each ? "Source" : "Preview"}
              </button>
            ))}
          </span>
        ) : null}
        <Progress body={body} total={version.bytes} />
      </Bar>
      <div className="min-h-0 flex-1">
        <Text name={name} text={body.text} complete={body.complete} preview={source ? sourceOf(preview) : preview} />
      </div>
    </div>
  );
}

const sourceOf = ({ language }: Preview): Preview => ({
  kind: "code",
  ...(language === undefined ? {} : { language }),
});

const Bar = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-soft px-3 py-1 text-xs text-muted empty:hidden md:px-4">
    {children}
  </div>
);

/** How much of a text is shown, and more of it. */
function Progress({ body, total }: { body: TextBody; total: number }) {
  if (body.complete) return <span className="tnum ml-auto">{formatBytes(total)}</span>;
  return (
    <span className="tnum ml-auto flex items-center gap-2.5">
      {body.error === undefined ? null : (
        <span role="alert" className="text-danger-ink">
          {describeError(body.error).message}
        </span>
      )}
      <span role="status">
        First {formatBytes(body.loaded)} of {formatBytes(total)}
      </span>
      <Button size="xs" loading={body.loading} onClick={body.more}>
        Load {formatBytes(Math.min(textStep, total - body.loaded))} more
      </Button>
    </span>
  );
}

interface TextProps {
  name: string;
  text: string;
  complete: boolean;
  preview: Preview;
}

function Text({ name, text, complete, preview }: TextProps) {
  const json = useMemo(
    () => (preview.kind === "json" && complete ? parsed(text) : undefined),
    [text, complete, preview],
  );
  if (text === "") return <EmptyState title="Empty">This version has no bytes.</EmptyState>;
  if (preview.kind === "csv") return <CsvTable text={text} complete={complete} label={name} />;
  return (
    <Scroller label={name} className="h-full px-3 py-2 md:px-4">
      {preview.kind === "markdown" ? <Markdown text={text} className="max-w-3xl py-2" /> : null}
      {preview.kind === "json" ? <JsonNote complete={complete} valid={json !== undefined} /> : null}
      {json !== undefined ? <JsonTree value={json.value} label={name} maxHeight={100_000} className="my-2" /> : null}
      {preview.kind !== "markdown" && json === undefined ? (
        <CodeBlock text={text} language={preview.language} maxHeight={Number.MAX_SAFE_INTEGER} />
      ) : null}
    </Scroller>
  );
}

function JsonNote({ complete, valid }: { complete: boolean; valid: boolean }) {
  if (complete && valid) return null;
  return (
    <p className="my-2 text-xs text-muted">
      {complete
        ? "This is not valid JSON, so it is shown as it is written."
        : "The tree is shown when all of it is loaded."}
    </p>
  );
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function BlobPreview({ name, version, kind }: { name: string; version: VersionRow; kind: "image" | "pdf" | string }) {
  const large = version.bytes > unaskedBytes;
  const [asked, setAsked] = useState(!large);
  const shows = kind !== "pdf" || navigator.pdfViewerEnabled;
  const body = useBlobBody(version.url, version.contentType, { pause: !asked || !shows });
  if (!shows)
    return (
      <EmptyState icon={FilePdfIcon} title="No viewer of PDF" actions={<DownloadLink url={version.url} />}>
        This browser shows no PDF within a page. Download it to read it.
      </EmptyState>
    );
  if (!asked)
    return (
      <EmptyState
        title={`A large file: ${formatBytes(version.bytes)}`}
        actions={
          <>
            <Button onClick={() => setAsked(true)}>Show it here</Button>
            <DownloadLink url={version.url} />
          </>
        }
      >
        All of it has to be fetched to be shown.
      </EmptyState>
    );
  if (body.error !== undefined) return <Failed error={body.error} onRetry={body.retry} />;
  if (body.address === null) return <PreviewSkeleton />;
  if (kind === "pdf") return <iframe title={name} src={body.address} className="h-full w-full border-0 bg-sunken" />;
  return (
    <Scroller label={name} className="flex h-full items-center justify-center bg-sunken p-4">
      {/* biome-ignore lint/performance/noImgElement: the image is inside the page already. */}
      <img
        src={body.address}
        alt={name}
        className="max-h-full max-w-full rounded-sm border border-line bg-white object-contain"
      />
    </Scroller>
  );
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, message, code } = describeError(error);
  return (
    <ErrorState
      title={title}
      message={message}
      code={code ?? undefined}
      actions={<Button onClick={onRetry}>Try again</Button>}
    />
  );
}

function PreviewSkeleton() {
  return (
    <Loading label="Loading the preview">
      <div className="space-y-3 p-4">
        {["w-1/3", "w-3/5", "w-1/2", "w-2/5"].map((width) => (
          <Skeleton key={width} className={`h-3.5 ${width}`} />
        ))}
      </div>
    </Loading>
  );
}
