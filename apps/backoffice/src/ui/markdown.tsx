"use client";

import { ImageIcon } from "@phosphor-icons/react";
import { cloneElement, isValidElement, memo } from "react";
import { type Components, defaultRehypePlugins, Streamdown } from "streamdown";
import { CodeBlock } from "./code-block.tsx";

export interface MarkdownProps {
  text: string;
  /** The text is still growing: unfinished syntax is closed for the moment. */
  streaming?: boolean;
  className?: string;
}

// Raw HTML stays text: only the plugins that sanitise and that check addresses are used.
const rehypePlugins = Object.entries(defaultRehypePlugins)
  .filter(([name]) => name !== "raw")
  .map(([, plugin]) => plugin);

const components: Components = {
  // In a list of messages the levels of headings make no outline: all are one, and only look different.
  h1: ({ children }) => <h3 className="heading-1">{children}</h3>,
  h2: ({ children }) => <h3 className="heading-2">{children}</h3>,
  h3: ({ children }) => <h3 className="heading-3">{children}</h3>,
  h4: ({ children }) => <h3 className="heading-3">{children}</h3>,
  h5: ({ children }) => <h3 className="heading-3">{children}</h3>,
  h6: ({ children }) => <h3 className="heading-3">{children}</h3>,
  code: ({ children, className, ...rest }) =>
    "data-block" in rest ? (
      <CodeBlock text={String(children ?? "")} language={/language-(\S+)/.exec(className ?? "")?.[1]} />
    ) : (
      <code>{children}</code>
    ),
  inlineCode: ({ children }) => <code>{children}</code>,
  // Marks the code of a block, so that it is told from code within a line.
  pre: ({ children }) =>
    isValidElement<Record<string, unknown>>(children) ? cloneElement(children, { "data-block": "true" }) : children,
  table: ({ children }) => (
    // biome-ignore lint/a11y/useSemanticElements: a group of form fields is something else.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard.
    <div role="group" className="markdown-table" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ),
  // An image of another host would tell that host who reads: it becomes a link.
  img: ({ src, alt }) =>
    typeof src === "string" && src.startsWith("data:image/") ? (
      // biome-ignore lint/performance/noImgElement: the image is inside the page already.
      <img src={src} alt={alt ?? ""} className="max-h-96 rounded-md" />
    ) : (
      <a href={typeof src === "string" ? src : undefined} target="_blank" rel="noreferrer noopener nofollow">
        <ImageIcon size={14} aria-hidden="true" className="mr-1 inline" />
        {alt === undefined || alt === "" ? "Image" : alt}
      </a>
    ),
};

/** Markdown as written by people and models: sanitised, no raw HTML, links open outside, nothing fetched. */
export const Markdown = memo(function Markdown({ text, streaming = false, className }: MarkdownProps) {
  return (
    <div className={`markdown min-w-0 ${className ?? ""}`}>
      <Streamdown
        mode={streaming ? "streaming" : "static"}
        parseIncompleteMarkdown={streaming}
        isAnimating={streaming}
        rehypePlugins={rehypePlugins}
        components={components}
        controls={false}
        linkSafety={{ enabled: false }}
      >
        {text}
      </Streamdown>
    </div>
  );
});
