"use client";

import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { Markdown } from "../../ui/markdown.tsx";

/** Longer texts are shown as plain text by pieces: laying them out as Markdown would hold the page up. */
const longestMarkdown = 60_000;
const pieceLength = 8_000;
/** From here on speed counts more than fine letter pairs. */
const longText = 3_000;

const look = (text: string): string => (text.length > longText ? "quick-text" : "");

/** A text as a person or a model wrote it, however long, in whichever direction. */
export function MessageText({ text, streaming = false }: { text: string; streaming?: boolean }) {
  if (text.length > longestMarkdown) return <HugeText text={text} />;
  return (
    <div dir="auto" className={`${streaming ? "streaming-text" : ""} ${look(text)}`}>
      <Markdown text={text} streaming={streaming} />
    </div>
  );
}

/** A text too long to lay out at once: its beginning, and more on demand. */
export function HugeText({ text, mono = false }: { text: string; mono?: boolean }) {
  const [shown, setShown] = useState(pieceLength);
  const rest = text.length - shown;
  return (
    <div>
      <p
        dir="auto"
        className={`${look(text)} break-words whitespace-pre-wrap ${mono ? "mono text-xs leading-[1.6]" : "text-[13.5px] leading-relaxed"}`}
      >
        {text.slice(0, shown)}
        {rest > 0 ? "…" : ""}
      </p>
      {rest > 0 ? (
        <div className="mt-2 flex items-center gap-3">
          <Button size="xs" onClick={() => setShown((n) => n + pieceLength * 4)}>
            Show more
          </Button>
          <span className="text-xs text-muted">
            {formatBytes(shown)} of {formatBytes(text.length)}
          </span>
        </div>
      ) : null}
    </div>
  );
}
