import { expect, type Page } from "@playwright/test";
import { answersOn, browserTest, startConversation } from "./browser-test.ts";
import { openGate, removeGate, sentencesIn, storyBeforeGate, wholeStory } from "./story.ts";

browserTest.use({ workspace: "test/e2e/workspace" });

const lastAnswer = (page: Page) => page.getByRole("article", { name: "Answer of the agent" }).last();
const sentencesOn = async (page: Page): Promise<string[]> => sentencesIn(await answersOn(page));

const gates: string[] = [];
browserTest.afterEach(() => {
  for (const gate of gates.splice(0)) removeGate(gate);
});

/** Asks for a story and waits until the narrator stands at its gate, in the middle of a sentence of the run. */
async function startStory(page: Page, message: string): Promise<{ finish: () => void }> {
  const gate = crypto.randomUUID();
  gates.push(gate);
  await startConversation(page, "Narrator", `${message} (gate ${gate})`);
  await expectAtGate(page);
  return { finish: () => openGate(gate) };
}

async function expectAtGate(page: Page): Promise<void> {
  await expect.poll(() => sentencesOn(page), { timeout: 90_000 }).toEqual(storyBeforeGate);
  await expect(lastAnswer(page)).toHaveAttribute("aria-busy", "true");
}

/** Waits for the end of the story; then it must be there once, in order, without a gap. */
async function expectWholeStory(page: Page): Promise<void> {
  await expect.poll(async () => (await sentencesOn(page)).at(-1), { timeout: 90_000 }).toBe(wholeStory.at(-1));
  await expect(lastAnswer(page)).not.toHaveAttribute("aria-busy", "true");
  expect(await sentencesOn(page)).toEqual(wholeStory);
}

/** Puts a mark on the page that a reload would wipe off. */
const mark = (page: Page): Promise<void> => page.evaluate(() => document.documentElement.setAttribute("data-kept", ""));
const isMarked = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.hasAttribute("data-kept"));

browserTest.describe("a conversation", () => {
  browserTest("is answered while one watches", async ({ ownerPage: page }) => {
    const story = await startStory(page, "Tell me a story");
    await expect(page.getByRole("article", { name: "Message of the user" })).toContainText("Tell me a story");
    story.finish();
    await expectWholeStory(page);
  });

  browserTest("misses nothing when the page is loaded again in the middle", async ({ ownerPage: page }) => {
    const story = await startStory(page, "Tell it to someone who reloads");
    await page.reload();
    await expectAtGate(page);
    story.finish();
    await expectWholeStory(page);
  });

  browserTest("catches up by itself when the network was cut for ten seconds", async ({ ownerPage: page, product }) => {
    const story = await startStory(page, "Tell it through a bad cable");
    await mark(page);
    product.link.cut();
    await expect(page.getByRole("status").filter({ hasText: "Reconnecting" })).toBeVisible();
    story.finish();
    // The ten seconds are what is tested, not a guess at how long something takes.
    await page.waitForTimeout(10_000);
    expect(await sentencesOn(page)).toEqual(storyBeforeGate);
    product.link.mend();
    await expectWholeStory(page);
    await expect(page.getByRole("status").filter({ hasText: "Live" })).toBeVisible();
    expect(await isMarked(page)).toBe(true);
  });

  browserTest("loses nothing when its sockets are destroyed again and again", async ({ ownerPage: page, product }) => {
    const story = await startStory(page, "Tell it over a flapping line");
    product.link.dropConnections();
    story.finish();
    for (const sentence of [50, 60, 70, 80]) {
      await expect.poll(async () => (await sentencesOn(page)).length, { timeout: 60_000 }).toBeGreaterThan(sentence);
      product.link.dropConnections();
    }
    await expectWholeStory(page);
  });

  browserTest("is finished by the next process when the first is killed", async ({ ownerPage: page, product }) => {
    const story = await startStory(page, "Tell it in spite of everything");
    await mark(page);
    await product.kill();
    await product.start();
    story.finish();
    await expectWholeStory(page);
    expect(await isMarked(page)).toBe(true);
    // What a reader sees who comes later is the same.
    await page.reload();
    await expectWholeStory(page);
  });

  browserTest("can be stopped in the middle, and takes the next message", async ({ ownerPage: page }) => {
    await startStory(page, "Tell it until I have enough");
    await page.getByRole("button", { name: /stop/i }).click();
    await expect(lastAnswer(page)).not.toHaveAttribute("aria-busy", "true");
    const before = (await sentencesOn(page)).length;
    expect(before).toBeLessThan(wholeStory.length);
    await page.getByRole("textbox").last().fill("And now the whole of it");
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => (await sentencesOn(page)).length, { timeout: 60_000 })
      .toBe(before + wholeStory.length);
  });

  browserTest("says in words what went wrong, and goes on", async ({ ownerPage: page }) => {
    await startConversation(page, "Broken", "Write something");
    await expect(page.getByLabel("The run failed")).toBeVisible();
    await expect(page.getByRole("textbox").last()).toBeEnabled();
  });
});
