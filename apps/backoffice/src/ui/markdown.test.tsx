import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown } from "./markdown.tsx";

const html = (text: string, streaming = false) => renderToStaticMarkup(<Markdown text={text} streaming={streaming} />);

describe("Markdown", () => {
  it("renders emphasis, lists, tables and code", () => {
    const out = html("**bold** and `code`\n\n- one\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```ts\nlet x = 1;\n```");
    expect(out).toContain("bold");
    expect(out).toContain("<code>code</code>");
    expect(out).toContain("<td");
    expect(out).toContain("let x = 1;");
  });

  it("lets no HTML of the text into the page", () => {
    const out = html(
      'before <img src="x" onerror="alert(1)"> <script>alert(1)</script> <iframe src="//x"></iframe> after',
    );
    expect(out).not.toMatch(/<(img|script|iframe)/);
    expect(out).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(out).toContain("after");
  });

  it("fetches nothing and links to no script", () => {
    const out = html("![pixel](https://evil.example/p.png) [x](javascript:alert(1)) [ok](https://example.com)");
    expect(out).not.toContain("<img");
    expect(out).not.toContain("javascript:");
    expect(out).toContain('href="https://example.com');
    expect(out).toContain('rel="noreferrer noopener nofollow"');
  });

  it("closes what is not finished yet while it streams", () => {
    expect(html("an **unfinished", true)).not.toContain("**");
  });
});
