import { expect, type Page } from "@playwright/test";
import { browserTest, startConversation } from "./browser-test.ts";
import { lookAt } from "./look-at.ts";

/** A picture of one pixel, and a page of PDF with nothing but a word on it. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from(
  `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj
4 0 obj<</Length 47>>stream
BT /F1 24 Tf 40 100 Td (Quarterly paper) Tj ET
endstream endobj
trailer<</Root 1 0 R>>
%%EOF
`,
);
const report = "# Quarter\n\nAll is **well**.\n\n- one\n- two\n";
const table = `name,revenue,note\n${Array.from({ length: 300 }, (_, i) => `shop ${i},${i * 10},"says ""hello"", ${i}"`).join("\n")}\n`;
const json = JSON.stringify({ shops: [{ name: "north", open: true }], total: 3 });
const script = "def total(prices):\n    return sum(prices)\n";
const drawing = `<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "taken"</script></svg>`;

/** Sends a file in the dialog as a person does, and ends with it open. */
async function upload(page: Page, path: string, body: string | Buffer): Promise<void> {
  const name = path.split("/").at(-1) ?? path;
  await page.getByRole("button", { name: "Upload", exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: "Upload an artifact" });
  await choose(page, name, body);
  await dialog.getByLabel("Path").fill(path);
  await dialog.getByRole("button", { name: "Upload", exact: true }).click();
  await expect(page.getByRole("region", { name: path })).toBeVisible();
  await expect(dialog).toBeHidden();
}

async function choose(page: Page, name: string, body: string | Buffer): Promise<void> {
  const file = {
    name,
    mimeType: "application/octet-stream",
    buffer: typeof body === "string" ? Buffer.from(body) : body,
  };
  await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
}

/** The pane of the artifact that is open. */
const pane = (page: Page, path: string) => page.getByRole("region", { name: path });
const preview = (page: Page) => page.getByRole("tabpanel", { name: "Preview" });

browserTest.describe.configure({ mode: "serial" });

browserTest.describe("artifacts", () => {
  browserTest("an empty project says what they are and where they come from", async ({ ownerPage: page }) => {
    await page.goto("/artifacts");
    await expect(page.getByRole("heading", { name: "No artifacts yet" })).toBeVisible();
    expect(await lookAt(page, "artifacts-none")).toEqual([]);
  });

  browserTest(
    "are shown by their type, and pages and drawings only as they are written",
    async ({ ownerPage: page }) => {
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto("/artifacts");
      await upload(page, "/artifacts/q1/report.md", report);
      await expect(preview(page).getByRole("heading", { name: "Quarter" })).toBeVisible();
      problems.push(...(await lookAt(page, "artifacts-markdown")));
      await preview(page).getByRole("button", { name: "Source" }).click();
      await expect(preview(page)).toContainText("All is **well**.");
      await expect(page).toHaveURL(/as=source/);
      await preview(page).getByRole("button", { name: "Preview", exact: true }).click();

      await upload(page, "/artifacts/q1/shops.csv", table);
      await expect(preview(page).getByRole("columnheader", { name: "revenue" })).toBeVisible();
      await expect(preview(page).getByRole("cell", { name: 'says "hello", 3', exact: true })).toBeVisible();
      problems.push(...(await lookAt(page, "artifacts-csv")));

      await upload(page, "/artifacts/q1/shops.json", json);
      await expect(preview(page).getByRole("button", { name: /^shops: / })).toHaveAttribute("aria-expanded", "true");
      problems.push(...(await lookAt(page, "artifacts-json")));

      await upload(page, "/files/total.py", script);
      await expect(preview(page).getByRole("group", { name: "Code in python" })).toContainText("def total");
      await upload(page, "/files/notes.txt", "only words");
      await expect(preview(page)).toContainText("only words");
      await upload(page, "/files/empty.txt", "");
      await expect(preview(page)).toContainText("This version has no bytes.");

      await upload(page, "/files/drawing.svg", drawing);
      await expect(preview(page)).toContainText("<script>");
      await expect(page).toHaveTitle("Artifacts · Wheelhouse");
      await expect(preview(page).locator("img, iframe")).toHaveCount(0);

      await upload(page, "/files/dot.png", png);
      const image = preview(page).getByRole("img", { name: "dot.png" });
      await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(1);
      problems.push(...(await lookAt(page, "artifacts-image")));

      await upload(page, "/files/data.bin", Buffer.from([0xff, 0x00, 0x13, 0x80, 0x9c]));
      await expect(preview(page)).toContainText("No preview of this type");
      const download = page.waitForEvent("download");
      await preview(page).getByRole("link", { name: "Download" }).click();
      expect((await download).suggestedFilename()).toBe("data.bin");
      // A link sends no header: the project that it names is the one that is looked in.
      const status = async (project: string) =>
        (await page.request.get(`/artifacts/files/data.bin?project=${project}`)).status();
      expect([await status("default"), await status("elsewhere")]).toEqual([200, 404]);
      expect(problems).toEqual([]);
    },
  );

  browserTest(
    "a PDF is shown by the browser's viewer, or it is said that there is none",
    async ({ ownerPage: page }) => {
      await page.goto("/artifacts");
      await upload(page, "/files/paper.pdf", pdf);
      // The viewer is a page of the browser's own in the frame, which it fills with what it was given.
      const viewer = () => page.frames().some((frame) => frame.url().startsWith("chrome-extension://"));
      if (await page.evaluate(() => navigator.pdfViewerEnabled)) await expect.poll(viewer).toBe(true);
      else await expect(preview(page)).toContainText("This browser shows no PDF within a page.");
      await page.screenshot({ path: "test-results/pages/artifacts-pdf.png" });
    },
  );

  browserTest("a long text comes in parts, as far as somebody wants it", async ({ ownerPage: page }) => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `line ${i} é`).join("\n");
    await page.goto("/artifacts");
    await upload(page, "/files/long.txt", lines);
    await expect(preview(page).getByText("First 256 KiB of")).toBeVisible();
    await preview(page)
      .getByRole("button", { name: /^Load .* more$/ })
      .click();
    await expect(preview(page).getByText("First 512 KiB of")).toBeVisible();
    await preview(page)
      .getByRole("button", { name: /^Load .* more$/ })
      .click();
    await expect(preview(page).getByRole("button", { name: /^Load/ })).toBeHidden();
    const shown = (await preview(page).locator("pre").textContent()) ?? "";
    expect(shown.split("\n").at(-1)).toBe("line 39999 é");
    expect(shown).not.toContain("\uFFFD");
  });

  browserTest("get versions, are compared, brought back and deleted", async ({ ownerPage: page }) => {
    const path = "/artifacts/plan.txt";
    await page.goto("/artifacts");
    await upload(page, path, "keep\nold line\n");
    await pane(page, path).getByRole("button", { name: "New version" }).click();
    await choose(page, "anything.txt", "keep\nnew line\n");
    const dialog = page.getByRole("dialog", { name: "New version of plan.txt" });
    await dialog.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(preview(page)).toContainText("new line");

    await page.getByRole("tab", { name: "Changes" }).click();
    await expect(page.getByRole("row", { name: "removed old line" })).toBeVisible();
    await expect(page.getByRole("row", { name: "added new line" })).toBeVisible();
    expect(await lookAt(page, "artifacts-changes")).toEqual([]);

    await page.getByRole("tab", { name: "Versions 2" }).click();
    expect(await lookAt(page, "artifacts-versions")).toEqual([]);
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await expect(preview(page)).toContainText("old line");
    await expect(page.getByText("3, the latest")).toBeVisible();
    // An earlier version has an address of its own.
    await page.goto(
      page
        .url()
        .replace(/&tab=\w+/, "")
        .concat("&version=2"),
    );
    await expect(page.getByText("2 of 3")).toBeVisible();
    await expect(preview(page)).toContainText("new line");

    await pane(page, path).getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete plan.txt?" });
    await expect(question).toContainText("all of its 3 versions");
    await question.getByRole("button", { name: "Delete 3 versions" }).click();
    await expect(pane(page, path)).toBeHidden();
    await expect(page.getByRole("link", { name: "plan.txt" })).toBeHidden();
  });

  browserTest("what is there is not overwritten, and a bad path is said at its field", async ({ ownerPage: page }) => {
    await page.goto("/artifacts");
    await upload(page, "/files/taken.txt", "first");
    await page.getByRole("button", { name: "Upload", exact: true }).first().click();
    const dialog = page.getByRole("dialog", { name: "Upload an artifact" });
    await choose(page, "other.txt", "second");
    await expect(dialog.getByLabel("Path")).toHaveValue("/files/other.txt");
    await dialog.getByLabel("Path").fill("/nowhere/other.txt");
    await dialog.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(dialog.getByText(/must begin with one of/)).toBeVisible();
    await dialog.getByLabel("Path").fill("/files/../taken.txt");
    await dialog.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(dialog.getByText(/must not contain \. or \.\./)).toBeVisible();
    await dialog.getByLabel("Path").fill("/files/taken.txt");
    await dialog.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(dialog.getByRole("alert")).toContainText("There is already an artifact at this path.");
    expect(await lookAt(page, "artifacts-conflict")).toEqual([]);
    await dialog.getByRole("button", { name: "Add as the next version" }).click();
    await expect(preview(page)).toContainText("second");
    await expect(page.getByText("2, the latest")).toBeVisible();
  });

  browserTest(
    "are found by keys, by text, by kind and by folder, and the address says it all",
    async ({ ownerPage: page }) => {
      await page.goto("/artifacts");
      await expect(page.getByRole("link", { name: "report.md" })).toBeVisible();
      expect(await lookAt(page, "artifacts-tree")).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });
      // Folders close and open by Enter; the first row is one.
      await page.keyboard.press("j");
      const folder = page.getByRole("button", { name: /^artifacts/ });
      await expect(folder).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(page.getByRole("link", { name: "report.md" })).toBeHidden();
      await page.keyboard.press("Enter");
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await expect(page.getByRole("link", { name: "report.md" })).toBeFocused();
      await page.keyboard.press("Enter");
      await expect(pane(page, "/artifacts/q1/report.md")).toBeVisible();
      // With one open, the next row opens the next one; Esc closes it.
      await page.keyboard.press("j");
      await expect(pane(page, "/artifacts/q1/shops.csv")).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("tablist", { name: "Views of the artifact" })).toBeHidden();
      await page.goBack();
      await expect(pane(page, "/artifacts/q1/shops.csv")).toBeVisible();

      await page.goto("/artifacts?view=list");
      await page.keyboard.press("/");
      await page.keyboard.type("SHOPS");
      await expect(page.getByText("2 artifacts")).toBeVisible();
      await expect(page).toHaveURL(/q=SHOPS/);
      expect(await lookAt(page, "artifacts-list")).toEqual([]);
      await page.goto("/artifacts?kind=FILE&folder=%2Ffiles%2F&view=list");
      await expect(page.getByRole("link", { name: "total.py" })).toBeVisible();
      await expect(page.getByRole("link", { name: "report.md" })).toBeHidden();
      await page.goto("/artifacts?q=nothingcanmatchthis");
      await page.getByRole("button", { name: "Clear all filters" }).click();
      await expect(page.getByRole("link", { name: "report.md" })).toBeVisible();
    },
  );

  browserTest(
    "stand on the pages of their conversation and run, and in the log in words",
    async ({ ownerPage: page }) => {
      await startConversation(page, "Guide", "What is an event cursor?");
      const session = /Session_[0-9a-f-]+/.exec(page.url())?.[0];
      const made = await page.request.post("/graphql", {
        data: {
          query: `mutation Put($session: ID!) {
          putArtifact(input: { path: "/artifacts/cursor.md", text: "# Cursors", sessionId: $session }) { __typename }
        }`,
          variables: { session },
        },
      });
      expect(await made.json()).toEqual({ data: { putArtifact: { __typename: "Artifact" } } });
      await page.goto(`/conversations/${session}?panel=artifacts`);
      const panel = page.getByRole("tabpanel", { name: "Artifacts" });
      await expect(panel.getByRole("link", { name: /cursor\.md/ })).toBeVisible();
      expect(await lookAt(page, "artifacts-of-conversation")).toEqual([]);
      await panel.getByRole("link", { name: /cursor\.md/ }).click();
      await expect(preview(page).getByRole("heading", { name: "Cursors" })).toBeVisible();
      await page.goto(`/conversations/${session}?panel=events&types=artifact`);
      await expect(page.getByText("/artifacts/cursor.md · version 1 · text/markdown · 9 B")).toBeVisible();

      await page.goto(`/artifacts?session=${session}`);
      await expect(page.getByText("1 artifact", { exact: true })).toBeAttached();
      await page.getByRole("button", { name: "Clear the filter Of one conversation" }).click();
      await expect(page.getByRole("link", { name: "report.md" })).toBeVisible();

      await page.goto(`/conversations/${session}?panel=runs`);
      await page.getByRole("tabpanel", { name: "Runs" }).getByRole("link").first().click();
      await page.waitForURL(/\/runs\//);
      await page.getByRole("tab", { name: "Artifacts" }).click();
      await expect(page.getByText("The newest version of no artifact comes from this run.")).toBeVisible();
      expect(await lookAt(page, "artifacts-of-run")).toEqual([]);
    },
  );
});
