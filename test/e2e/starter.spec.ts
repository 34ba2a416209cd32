import { expect } from "@playwright/test";
import { answersOn, browserTest, startConversation } from "./browser-test.ts";

browserTest.describe("the starter", () => {
  browserTest("answers a question from this repository's own documentation", async ({ ownerPage: page }) => {
    await startConversation(page, "Guide", "What is an event cursor?");
    await expect.poll(() => answersOn(page)).toContain("docs/");
    await expect(page.getByRole("article", { name: "Answer of the agent" }).last()).not.toHaveAttribute(
      "aria-busy",
      "true",
    );
    // The whole conversation can be browsed afterwards, down to what the tool was asked and what it answered.
    await page.reload();
    const tool = page.getByRole("button", { name: /search_docs|read_doc/ }).first();
    await tool.click();
    await expect(page.getByText("Result", { exact: false }).first()).toBeVisible();
  });

  browserTest("asks before it writes a mail, and goes on when a person agrees", async ({ ownerPage: page }) => {
    await startConversation(page, "Mail clerk", "Send an email to ada@example.com: “Your invoice is ready”");
    const request = page.getByLabel("1 open request of the agent");
    await expect(request).toContainText("send_email");
    // It waits for a person, however long, and whoever looks: the page is loaded again.
    await page.reload();
    await request.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(request).toBeHidden();
    await expect(page.getByText(/approved/i).first()).toBeVisible();
    await expect(page.getByRole("article", { name: "Answer of the agent" }).last()).not.toHaveAttribute(
      "aria-busy",
      "true",
    );
  });
});
