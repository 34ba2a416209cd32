import { expect, type Page } from "@playwright/test";
import { answersOn, browserTest, startConversation } from "./browser-test.ts";
import { sentencesIn, wholeStory } from "./story.ts";

browserTest.use({ workspace: "test/e2e/workspace" });

/** Waits until the story is being told and is far from its end. */
async function untilInTheMiddle(page: Page): Promise<void> {
  await expect.poll(async () => sentencesIn(await answersOn(page)).length).toBeGreaterThan(4);
  expect(sentencesIn(await answersOn(page)).length).toBeLessThan(wholeStory.length / 2);
}

/** Waits for the end of the story; then it must be there once, in order, without a gap. */
async function expectWholeStory(page: Page): Promise<void> {
  await expect.poll(async () => sentencesIn(await answersOn(page)).at(-1), { timeout: 90_000 }).toBe(wholeStory.at(-1));
  await expect(page.getByRole("article", { name: "Answer of the agent" }).last()).not.toHaveAttribute(
    "aria-busy",
    "true",
  );
  expect(sentencesIn(await answersOn(page))).toEqual(wholeStory);
}

/** Puts a mark on the page that a reload would wipe off. */
const mark = (page: Page): Promise<void> => page.evaluate(() => document.documentElement.setAttribute("data-kept", ""));
const isMarked = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.hasAttribute("data-kept"));

browserTest.describe("a conversation", () => {
  browserTest("is answered while one watches", async ({ ownerPage: page }) => {
    await startConversation(page, "Narrator", "Tell me a story");
    await expect(page.getByRole("article", { name: "Message of the user" })).toContainText("Tell me a story");
    await untilInTheMiddle(page);
    await expectWholeStory(page);
  });

  browserTest("misses nothing when the page is loaded again in the middle", async ({ ownerPage: page }) => {
    await startConversation(page, "Narrator", "Tell it to someone who reloads");
    await untilInTheMiddle(page);
    await page.reload();
    await expectWholeStory(page);
  });

  browserTest("catches up by itself when the network was cut for ten seconds", async ({ ownerPage: page, product }) => {
    await startConversation(page, "Narrator", "Tell it through a bad cable");
    await untilInTheMiddle(page);
    await mark(page);
    product.link.cut();
    await expect(page.getByRole("status").filter({ hasText: "Reconnecting" })).toBeVisible();
    const seen = sentencesIn(await answersOn(page)).length;
    // The ten seconds are what is tested, not a guess at how long something takes.
    await page.waitForTimeout(10_000);
    expect(sentencesIn(await answersOn(page)).length).toBe(seen);
    product.link.mend();
    await expectWholeStory(page);
    expect(await isMarked(page)).toBe(true);
  });

  browserTest("loses nothing when its sockets are destroyed again and again", async ({ ownerPage: page, product }) => {
    await startConversation(page, "Narrator", "Tell it over a flapping line");
    for (const sentences of [5, 20, 40]) {
      await expect.poll(async () => sentencesIn(await answersOn(page)).length).toBeGreaterThan(sentences);
      product.link.dropConnections();
    }
    await expectWholeStory(page);
  });

  browserTest("is finished by the next process when the first is killed", async ({ ownerPage: page, product }) => {
    await startConversation(page, "Narrator", "Tell it in spite of everything");
    await untilInTheMiddle(page);
    await mark(page);
    await product.kill();
    await product.start();
    await expectWholeStory(page);
    expect(await isMarked(page)).toBe(true);
    // What a reader sees who comes later is the same.
    await page.reload();
    await expectWholeStory(page);
  });

  browserTest("can be stopped in the middle, and takes the next message", async ({ ownerPage: page }) => {
    await startConversation(page, "Narrator", "Tell it until I have enough");
    await untilInTheMiddle(page);
    await page.getByRole("button", { name: /stop/i }).click();
    await expect(page.getByRole("article", { name: "Answer of the agent" }).last()).not.toHaveAttribute(
      "aria-busy",
      "true",
    );
    const said = sentencesIn(await answersOn(page)).length;
    expect(said).toBeLessThan(wholeStory.length);
    await page.getByRole("textbox").last().fill("And now the whole of it");
    await page.keyboard.press("Enter");
    await expect.poll(async () => sentencesIn(await answersOn(page)).length, { timeout: 90_000 }).toBeGreaterThan(said);
  });

  browserTest("says in words what went wrong, and goes on", async ({ ownerPage: page }) => {
    await startConversation(page, "Broken", "Write something");
    await expect(page.getByRole("region", { name: "The run failed" })).toBeVisible();
    await expect(page.getByRole("textbox").last()).toBeEnabled();
  });
});
