import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { openProduct, type Product, postgresDatabase, sqliteDatabase } from "./product.ts";

export const owner = { name: "Ada Owner", email: "ada@example.com", password: "correct horse battery" };

export interface WorkerOptions {
  /** Folder of the agents that the product runs, relative to the repository. */
  workspace: string;
  database: "sqlite" | "postgresql";
}
interface WorkerFixtures extends WorkerOptions {
  product: Product;
  /** Cookies of the signed-in owner. */
  ownerState: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

/** Playwright's test with a running product, and a page on which its owner is signed in. */
export const browserTest = test.extend<{ ownerPage: Page }, WorkerFixtures>({
  workspace: [".", { scope: "worker", option: true }],
  database: ["sqlite", { scope: "worker", option: true }],
  product: [
    async ({ database, workspace }, use) => {
      const opened = database === "sqlite" ? sqliteDatabase() : await postgresDatabase();
      await using product = await openProduct({ database: opened, workspace });
      await use(product);
    },
    { scope: "worker", timeout: 180_000 },
  ],
  ownerState: [
    async ({ browser, product }, use) => {
      const context = await browser.newContext();
      await createOwner(await context.newPage(), product);
      const state = await context.storageState();
      await context.close();
      await use(state);
    },
    { scope: "worker", timeout: 180_000 },
  ],
  ownerPage: async ({ browser, product, ownerState, colorScheme, viewport }, use) => {
    const context = await browser.newContext({
      baseURL: product.url,
      storageState: ownerState,
      colorScheme,
      viewport,
      reducedMotion: "reduce",
    });
    await use(await context.newPage());
    await context.close();
  },
});

/** Follows the one-time link that the server printed, and ends signed in. */
async function createOwner(page: Page, product: Product): Promise<void> {
  await page.goto(`${product.url}${product.ownerPath}`);
  await page.getByLabel("Your name").fill(owner.name);
  await page.getByLabel("E-mail").fill(owner.email);
  await page.getByRole("textbox", { name: "Password" }).fill(owner.password);
  await page.getByRole("button", { name: /create|start/i }).click();
  await expect(page.getByRole("link", { name: "Conversations" })).toBeVisible();
}

/** Begins a conversation in the dialog of the list, and ends on its page. */
export async function startConversation(page: Page, agent: string, message: string): Promise<void> {
  await page.goto("/conversations");
  await page
    .getByRole("button", { name: /new conversation/i })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: new RegExp(`^${agent}`) }).click();
  await dialog.getByLabel("Message").fill(message);
  await dialog.getByRole("button", { name: "Start conversation" }).click();
  await page.waitForURL(/\/conversations\/Session_/);
}

/** Everything that the agent has said on the page, as it is read. */
export async function answersOn(page: Page): Promise<string> {
  return (await page.getByRole("article", { name: "Answer of the agent" }).allInnerTexts()).join("\n");
}
