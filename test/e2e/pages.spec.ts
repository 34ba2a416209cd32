import { expect, type Page } from "@playwright/test";
import { browserTest } from "./browser-test.ts";
import { lookAt } from "./look-at.ts";
import { type Seed, seedConversations } from "./seed.ts";

let seed: Seed;
browserTest.beforeAll(async ({ product, ownerState, playwright }) => {
  const request = await playwright.request.newContext({ baseURL: product.url, storageState: ownerState });
  seed = await seedConversations(request);
  await request.dispose();
});

/** Every page, and what is on it when it has finished loading. */
const pages: { name: string; path: () => string; ready: (page: Page) => Promise<void> }[] = [
  {
    name: "conversations",
    path: () => "/conversations",
    ready: (page) => expect(page.getByText("Björn").first()).toBeVisible(),
  },
  {
    name: "conversations-empty",
    path: () => "/conversations?q=nothingcanmatchthis",
    ready: (page) => expect(page.getByText(/no conversation/i).first()).toBeVisible(),
  },
  {
    name: "conversation",
    path: () => `/conversations/${seed.answered.session}`,
    ready: (page) => expect(page.getByRole("article", { name: "Answer of the agent" }).last()).toBeVisible(),
  },
  {
    name: "conversation-waiting",
    path: () => `/conversations/${seed.waiting.session}`,
    ready: (page) => expect(page.getByRole("button", { name: "Approve", exact: true })).toBeVisible(),
  },
  {
    name: "run",
    path: () => `/runs/${seed.answered.run}`,
    ready: (page) => expect(page.getByRole("treeitem").first()).toBeVisible(),
  },
  { name: "runs", path: () => "/runs", ready: (page) => expect(page.getByRole("main")).toContainText(/guide/i) },
  {
    name: "approvals",
    path: () => "/approvals",
    ready: (page) => expect(page.getByRole("main")).toContainText("send_email"),
  },
  {
    name: "agents",
    path: () => "/agents",
    ready: (page) => expect(page.getByRole("main")).toContainText("Mail clerk"),
  },
  {
    name: "agent",
    path: () => "/agents/briefing",
    ready: (page) => expect(page.getByRole("main")).toContainText(/briefing/i),
  },
  {
    name: "schedules",
    path: () => "/schedules",
    ready: (page) => expect(page.getByRole("row").filter({ hasText: "morning report" })).toBeVisible(),
  },
  {
    name: "schedule-new",
    path: () => "/schedules?open=new",
    ready: (page) => expect(page.getByText(/^Next: /)).toBeVisible(),
  },
  {
    name: "webhooks",
    path: () => "/webhooks",
    ready: (page) => expect(page.getByRole("row").filter({ hasText: "webhook.test" })).toBeVisible(),
  },
  {
    name: "webhook-new",
    path: () => "/webhooks?open=new",
    ready: (page) => expect(page.getByRole("textbox", { name: "Address" })).toBeVisible(),
  },
  { name: "missing", path: () => "/nowhere", ready: (page) => expect(page.getByRole("heading").first()).toBeVisible() },
];

browserTest.describe("in both themes, wide and narrow, nothing sticks out and axe finds nothing:", () => {
  for (const { name, path, ready } of pages) {
    browserTest(name, async ({ ownerPage: page }) => {
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(path());
      await ready(page);
      problems.push(...(await lookAt(page, name)));
      // The browser itself reports the answer 404, which is right here.
      expect(problems.filter((text) => name !== "missing" || !text.includes("404"))).toEqual([]);
    });
  }

  browserTest("sign-in and a used link", async ({ browser, product }) => {
    const context = await browser.newContext({ baseURL: product.url, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto("/sign-in");
    await expect(page.getByRole("textbox", { name: "Password" })).toBeVisible();
    expect(await lookAt(page, "sign-in")).toEqual([]);
    await page.goto("/setup?token=used-long-ago");
    await expect(page.getByRole("main")).toBeVisible();
    expect(await lookAt(page, "setup")).toEqual([]);
    await context.close();
  });
});
