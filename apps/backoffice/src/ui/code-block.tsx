"use client";

import { memo, useEffect, useState } from "react";
import { CopyButton } from "./copyable-id.tsx";

/** Longer texts stay uncoloured: colouring them would hold the page up. */
const longestColoured = 40_000;

interface Piece {
  text: string;
  color?: string;
}

export interface CodeBlockProps {
  text: string;
  language?: string | undefined;
  /** Shown in the bar instead of the language. */
  title?: string;
  /** The greatest height in pixels before the block scrolls. */
  maxHeight?: number;
}

/** Code in colour, with its language and a copy button. The highlighter is loaded when the first block is shown. */
export const CodeBlock = memo(function CodeBlock({ text, language, title, maxHeight = 480 }: CodeBlockProps) {
  const code = text.replace(/\n$/, "");
  const lines = useColouredLines(code, language);
  return (
    <div dir="ltr" className="group/code my-2 overflow-hidden rounded-md border border-line bg-sunken">
      <div className="flex h-7 items-center justify-between border-b border-line-soft pr-1 pl-3">
        <span className="mono text-[11px] text-muted">{title ?? language ?? "text"}</span>
        <CopyButton text={code} what="code" />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else. */}
      <div
        role="group"
        aria-label={`Code${language === undefined ? "" : ` in ${language}`}`}
        // A scroller must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        tabIndex={0}
        className="overflow-auto focus-visible:outline-offset-[-2px]"
        style={{ maxHeight }}
      >
        <pre
          className={`mono w-max min-w-full px-3 py-2.5 text-xs leading-[1.6] text-ink ${code.length > 4_000 ? "quick-text" : ""}`}
        >
          {lines === null
            ? code
            : lines.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line of code is its number.
                <span key={index} className="block min-h-[1.6em]">
                  {line.map((piece, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: a piece of a line is its place.
                    <span key={at} style={piece.color === undefined ? undefined : { color: piece.color }}>
                      {piece.text}
                    </span>
                  ))}
                </span>
              ))}
        </pre>
      </div>
    </div>
  );
});

function useColouredLines(code: string, language: string | undefined): Piece[][] | null {
  const [result, setResult] = useState<{ code: string; lines: Piece[][] } | null>(null);
  useEffect(() => {
    if (language === undefined || code.length > longestColoured) return;
    let stale = false;
    colour(code, language, (lines) => {
      if (!stale) setResult({ code, lines });
    });
    return () => {
      stale = true;
    };
  }, [code, language]);
  return result?.code === code ? result.lines : null;
}

// The themes of high contrast are the ones whose every colour can be read on the block's background.
async function loadHighlighter() {
  const { createCodePlugin } = await import("@streamdown/code");
  return createCodePlugin({ themes: ["github-light-high-contrast", "github-dark-high-contrast"] });
}

let loading: ReturnType<typeof loadHighlighter> | undefined;

function highlighterOf(): ReturnType<typeof loadHighlighter> {
  loading ??= loadHighlighter();
  return loading;
}

async function colour(code: string, language: string, done: (lines: Piece[][]) => void): Promise<void> {
  const highlighter = await highlighterOf();
  const known = highlighter.getSupportedLanguages().find((name) => name === language);
  if (known === undefined) return;
  const show = (result: NonNullable<ReturnType<typeof highlighter.highlight>>) =>
    done(
      result.tokens.map((line) =>
        line.map((token) => {
          const light = token.htmlStyle?.color ?? token.color;
          const dark = token.htmlStyle?.["--shiki-dark"];
          if (light === undefined) return { text: token.content };
          return { text: token.content, color: dark === undefined ? light : `light-dark(${light}, ${dark})` };
        }),
      ),
    );
  const ready = highlighter.highlight({ code, language: known, themes: highlighter.getThemes() }, show);
  if (ready !== null) show(ready);
}
