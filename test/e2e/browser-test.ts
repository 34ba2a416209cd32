import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { openProduct, type Product, type ProductDatabase, sqliteDatabase } from "./product.ts";

export const owner = { name: "Ada Owner", email: "ada@example.com", password: "correct horse battery" };

interface WorkerFixtures {
  /** Folder of the agents that the product runs. */
  workspace: string;
  openDatabase: () => ProductDatabase | Promise<ProductDatabase>;
  product: Product;
  /** Cookies of the signed-in owner. */
  ownerState: Awaited<ReturnType<BrowserContext["storageState"]>>;
}

/** Playwright's test with a running product and a page on which the owner is signed in. */
export const browserTest = test.extend<{ ownerPage: Page }, WorkerFixtures>({
  workspace: [".", { scope: "worker", option: true }],
  openDatabase: [sqliteDatabase, { scope: "worker", option: true }],
  product: [
    async ({ openDatabase, workspace }, use) => {
      await using product = await openProduct({ database: await openDatabase(), workspace });
      await use(product);
    },
    { scope: "worker", timeout: 120_000 },
  ],
  ownerState: [
    async ({ browser, product }, use) => {
      const context = await browser.newContext({ baseURL: product.url });
      await createOwner(await context.newPage(), product);
      await use(await context.storageState());
      await context.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  ownerPage: async ({ browser, product, ownerState, viewport }, use) => {
    const context = await browser.newContext({ baseURL: product.url, storageState: ownerState, viewport });
    const page = await context.newPage();
    await use(page);
    await context.close();
  },
});

/** Follows the one-time link that the server printed, and ends signed in. */
export async function createOwner(page: Page, product: Product): Promise<void> {
  await page.goto(`${product.url}${product.ownerPath}`);
  await page.getByLabel("Name").fill(owner.name);
  await page.getByLabel(/e-?mail/i).fill(owner.email);
  await page
    .getByLabel(/^password/i)
    .first()
    .fill(owner.password);
  await page.getByRole("button", { name: /create|continue|start/i }).click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
}
