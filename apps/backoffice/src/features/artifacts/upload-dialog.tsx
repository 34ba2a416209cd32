"use client";

import { FileArrowUpIcon } from "@phosphor-icons/react";
import { artifactPlace, Refusal } from "@wheelhouse/domain";
import { type DragEvent, type FormEvent, useEffect, useId, useRef, useState } from "react";
import { describeError } from "../../data/describe-error.ts";
import { type FieldProblems, readIssues } from "../../data/read-issues.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { formatBytes } from "../../ui/format.ts";
import { HttpRefusal, uploadArtifact } from "./artifact-http.ts";
import type { ArtifactDetail } from "./artifacts-documents.ts";

export interface UploadDialogProps {
  open: boolean;
  /** The artifact that gets a new version; null makes an artifact at a path. */
  artifact: ArtifactDetail | null;
  /** The folder that is looked at, for the path of something new. */
  folder: string;
  /** A file that was dropped on the page. */
  dropped: File | null;
  onClose: () => void;
  onDone: (id: string) => void;
}

/** Sends a file: as something new, or as the next version of what is there. */
export function UploadDialog({ open, onClose, ...rest }: UploadDialogProps) {
  const { artifact } = rest;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={artifact === null ? "Upload an artifact" : `New version of ${artifact.name}`}
      size="md"
    >
      {open ? <UploadForm {...rest} onClose={onClose} /> : null}
    </Dialog>
  );
}

function UploadForm({ artifact, folder, dropped, onClose, onDone }: Omit<UploadDialogProps, "open">) {
  const start = folder === "" ? "/files/" : folder;
  const [file, setFile] = useState<File | null>(dropped);
  const [path, setPath] = useState(dropped === null ? "" : start + dropped.name);
  const { send, sent, problems, conflict, forget } = useSending(onDone);
  const choose = (chosen: File | null) => {
    forget();
    setFile(chosen);
    if (chosen !== null && (path === "" || path === start + (file?.name ?? ""))) setPath(start + chosen.name);
  };
  const target = artifact?.id ?? path.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (file !== null && target !== "" && sent === null)
      void send({ target, file, expectedVersion: artifact?.latestVersion ?? 0 });
  };
  return (
    <form onSubmit={submit} className="space-y-4 px-5 pb-4">
      <FileChoice file={file} onFile={choose} />
      {artifact === null ? (
        <Field
          label="Path"
          value={path}
          onChange={(next) => {
            forget();
            setPath(next);
          }}
          problem={problems.path}
          hint="Its first name says what it is for: /artifacts/ for results, /files/ for what is handed in."
          placeholder="/files/report.csv"
          maxLength={1_024}
          spellCheck={false}
          autoComplete="off"
        />
      ) : (
        <p className="text-[13px] text-ink-2">
          It becomes version {artifact.latestVersion + 1} of{" "}
          <span className="mono text-xs break-all">{artifact.path}</span>. Earlier versions stay.
        </p>
      )}
      {problems.form === undefined ? null : (
        <p role="alert" className="rounded-md bg-danger-tint px-3 py-2 text-[13px] text-danger-ink">
          {problems.form}
        </p>
      )}
      {sent === null ? null : (
        <progress aria-label="Sent" value={sent} max={1} className="h-1.5 w-full accent-(--color-accent)" />
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        {conflict && file !== null ? (
          <Button
            variant="primary"
            loading={sent !== null}
            onClick={() => void send({ target, file, expectedVersion: null })}
          >
            Add as the next version
          </Button>
        ) : (
          <Button variant="primary" type="submit" loading={sent !== null} disabled={file === null || target === ""}>
            Upload
          </Button>
        )}
      </div>
    </form>
  );
}

interface Sending {
  target: string;
  file: File;
  expectedVersion: number | null;
}

/** Sends a file, tells how far it is, and keeps what was refused. Leaving ends it. */
function useSending(onDone: (id: string) => void) {
  const [sent, setSent] = useState<number | null>(null);
  const [problems, setProblems] = useState<FieldProblems>({});
  const [conflict, setConflict] = useState(false);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const forget = () => {
    setProblems({});
    setConflict(false);
  };
  const send = async (sending: Sending) => {
    forget();
    setSent(0);
    const mine = new AbortController();
    abort.current = mine;
    try {
      const target = placed(sending.target);
      const { id } = await uploadArtifact({ ...sending, target, onProgress: setSent, signal: mine.signal });
      onDone(id);
    } catch (error) {
      if (mine.signal.aborted) return;
      setSent(null);
      setProblems(problemsOf(error, sending));
      setConflict(codeOf(error) === "ARTIFACT_CONFLICT");
    }
  };
  return { send, sent, problems, conflict, forget };
}

/**
 * The path as the server keeps it. What is no path is refused here: an address would lose its dots on the way to the
 * server, and the slash before its first name.
 */
const placed = (target: string): string => (isArtifactId(target) ? target : artifactPlace(target).path);

const isArtifactId = (target: string): boolean => /^Artifact_[0-9a-f-]{36}$/.test(target);

const codeOf = (error: unknown): string | null =>
  error instanceof HttpRefusal || error instanceof Refusal ? error.code : null;

function problemsOf(error: unknown, { expectedVersion }: Sending): FieldProblems {
  const code = codeOf(error);
  if (!(error instanceof HttpRefusal || error instanceof Refusal) || code === "NETWORK")
    return { form: describeError(error).message };
  if (code === "ARTIFACT_CONFLICT")
    return {
      form: `${expectedVersion === 0 ? "There is already an artifact at this path." : `${error.message}.`} Nothing was overwritten.`,
    };
  return readIssues(error, ["path"]);
}

/** A place to drop a file, which opens the file picker when it is pressed. */
function FileChoice({ file, onFile }: { file: File | null; onFile: (file: File | null) => void }) {
  const id = useId();
  const [over, setOver] = useState(false);
  const drag = (entered: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(entered);
  };
  return (
    <label
      htmlFor={id}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        onFile(event.dataTransfer.files[0] ?? null);
      }}
      className={`relative flex min-h-24 flex-col items-center justify-center gap-1 rounded-lg border border-dashed px-4 py-4 text-center text-[13px] has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-focus ${over ? "border-accent bg-accent-tint" : "border-line-strong bg-sunken hover:bg-hover"}`}
    >
      <FileArrowUpIcon size={20} aria-hidden="true" className="text-muted" />
      {file === null ? (
        <span>
          <span className="font-medium text-accent-ink">Choose a file</span> or drop it here
        </span>
      ) : (
        <span className="max-w-full break-all">
          <span className="font-medium">{file.name}</span>
          <span className="tnum ml-2 text-muted">{formatBytes(file.size)}</span>
        </span>
      )}
      <input
        id={id}
        type="file"
        onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
    </label>
  );
}
