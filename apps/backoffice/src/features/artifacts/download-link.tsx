"use client";

import { DownloadSimpleIcon } from "@phosphor-icons/react";
import { downloadAddress } from "./artifact-http.ts";

/** Hands a body to the browser, which keeps it as a file. */
export function DownloadLink({ url }: { url: string }) {
  return (
    // A plain link: this is no page.
    <a
      href={downloadAddress(url)}
      download=""
      className="inline-flex h-[26px] items-center gap-1.5 rounded-md bg-surface px-2.5 text-xs font-medium text-ink ring ring-line hover:bg-hover"
    >
      <DownloadSimpleIcon size={14} aria-hidden="true" />
      Download
    </a>
  );
}
