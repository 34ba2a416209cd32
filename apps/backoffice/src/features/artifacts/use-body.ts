"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import { fetchBytes } from "./artifact-http.ts";

/** How much of a text is read at a time, bytes. */
export const textStep = 262_144;

interface Read {
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface TextBody {
  /** What is read so far; null before the first part. */
  text: string | null;
  /** How much that is, bytes. */
  loaded: number;
  complete: boolean;
  loading: boolean;
  error: unknown;
  more: () => void;
}

const nothing: Uint8Array<ArrayBuffer> = new Uint8Array();

/** The beginning of a body as text, and more of it when it is asked for. */
export function useTextBody(url: string, total: number, charset: string): TextBody {
  const [read, setRead] = useState<Read | null>(null);
  const [wanted, setWanted] = useState({ url, length: textStep, round: 0 });
  const [error, setError] = useState<unknown>(undefined);
  if (wanted.url !== url) setWanted({ url, length: textStep, round: 0 });
  const bytes = read?.url === url ? read.bytes : nothing;
  const start = bytes.length;
  const length = Math.min(total, wanted.url === url ? wanted.length : textStep) - start;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    if (length <= 0) return;
    const abort = new AbortController();
    setError(undefined);
    fetchBytes(url, { part: { start, length }, signal: abort.signal })
      .then((more) => setRead((before) => ({ url, bytes: joined(before?.url === url ? before.bytes : nothing, more) })))
      .catch((problem: unknown) => abort.signal.aborted || setError(problem));
    return () => abort.abort();
  }, [url, start, length, wanted.round]);
  const complete = start >= total;
  const text = useMemo(
    // A letter that is cut in two at the end waits for its other half.
    () => (start === 0 && !complete ? null : decoderOf(charset).decode(bytes, { stream: !complete })),
    [bytes, start, complete, charset],
  );
  const more = useCallback(
    () => setWanted(({ round }) => ({ url, length: start + textStep, round: round + 1 })),
    [url, start],
  );
  return { text, loaded: start, complete, loading: length > 0 && error === undefined, error, more };
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** A decoder of the character set that a type names; of UTF-8 when it names none that is known. */
function decoderOf(contentType: string): TextDecoder {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

export interface BlobBody {
  /** An address of the bytes within this page; null before they are there. */
  address: string | null;
  error: unknown;
  retry: () => void;
}

/** A whole body as something that an element can show. `type` is what it is shown as. */
export function useBlobBody(url: string, type: string, { pause }: { pause: boolean }): BlobBody {
  const [shown, setShown] = useState<{ url: string; address: string } | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    if (pause) return;
    const abort = new AbortController();
    let address: string | null = null;
    setError(undefined);
    fetchBytes(url, { signal: abort.signal })
      .then((bytes) => {
        if (abort.signal.aborted) return;
        address = URL.createObjectURL(new Blob([bytes], { type }));
        setShown({ url, address });
      })
      .catch((problem: unknown) => abort.signal.aborted || setError(problem));
    return () => {
      abort.abort();
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [url, type, pause, round]);
  const retry = useCallback(() => setRound((n) => n + 1), []);
  return { address: shown?.url === url ? shown.address : null, error, retry };
}
