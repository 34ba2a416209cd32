import { chosenProject } from "../../data/data-provider.tsx";
import type { RefusedAnswer } from "../../data/read-issues.ts";

/** What the server refuses over HTTP, with the code of the refusal. */
export class HttpRefusal extends Error implements RefusedAnswer {
  readonly code: string;
  readonly issues: readonly { path: string; message: string }[];

  constructor(code: string, message: string, issues: HttpRefusal["issues"] = []) {
    super(message);
    this.name = "HttpRefusal";
    this.code = code;
    this.issues = issues;
  }
}

const unreachable = () => new HttpRefusal("NETWORK", "The server cannot be reached");

/** Where a browser fetches a body by itself, as it does for a download: no header names the project there. */
export function downloadAddress(url: string): string {
  const project = chosenProject();
  const address = new URL(url, location.href);
  if (project !== null) address.searchParams.set("project", project);
  return `${address.pathname}${address.search}`;
}

/** Some bytes of a body, from `start` and at most `length` of them; all when no part is named. */
export async function fetchBytes(
  url: string,
  { part, signal }: { part?: { start: number; length: number }; signal: AbortSignal },
): Promise<Uint8Array<ArrayBuffer>> {
  const headers = new Headers();
  if (part !== undefined) headers.set("range", `bytes=${part.start}-${part.start + part.length - 1}`);
  const answer = await fetch(downloadAddress(url), { headers, signal }).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable();
  });
  if (!answer.ok) throw refusalIn(answer.status, await answer.text());
  return new Uint8Array(await answer.arrayBuffer());
}

export interface Upload {
  /** A path, or the global id of an artifact that gets another version. */
  target: string;
  file: File;
  /** The latest version as the sender knows it, 0 for none; null puts the next one behind whatever is there. */
  expectedVersion: number | null;
  /** Told the part that is sent, 0 to 1. */
  onProgress: (part: number) => void;
  signal: AbortSignal;
}

/** Sends a file as the next version. Throws `HttpRefusal` for what the server refuses. */
export function uploadArtifact(upload: Upload): Promise<{ id: string; version: number }> {
  const { target, file, expectedVersion, onProgress, signal } = upload;
  const path = target.replace(/^\//, "").split("/").map(encodeURIComponent).join("/");
  const address = new URL(downloadAddress(`/artifacts/${path}`), location.href);
  if (expectedVersion !== null) address.searchParams.set("expectedVersion", String(expectedVersion));
  // Not fetch: only this tells how much of a body is sent.
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.open("PUT", address);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total);
    request.onload = () => {
      if (request.status >= 300) reject(refusalIn(request.status, request.responseText));
      else resolve(JSON.parse(request.responseText));
    };
    request.onerror = () => reject(unreachable());
    request.onabort = () => reject(signal.reason);
    signal.addEventListener("abort", () => request.abort());
    // Without the browser's guess at the type, which takes TypeScript for a film: the server looks at name and bytes.
    request.send(file.slice(0, file.size, ""));
  });
}

/** The refusal that an answer of this status holds. */
export function refusalIn(status: number, body: string): HttpRefusal {
  try {
    const { errors } = JSON.parse(body);
    const [{ message, extensions }] = errors;
    return new HttpRefusal(String(extensions.code), String(message), extensions.issues ?? []);
  } catch {
    return new HttpRefusal(`HTTP_${status}`, `The server answered ${status}`);
  }
}
