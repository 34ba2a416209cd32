import { expect, type Locator, type Page } from "@playwright/test";
import { browserTest } from "./browser-test.ts";
import { lookAt } from "./look-at.ts";

const side = (page: Page, name: "Left" | "Right"): Locator => page.getByRole("region", { name, exact: true });
const answerIn = (pane: Locator): Locator => pane.getByRole("article", { name: "Answer of the agent" }).last();
const requestIn = (pane: Locator): Locator => pane.getByLabel("1 open request of the agent");

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message to the agent").fill(text);
  await page.keyboard.press("Enter");
}

/** Changes the definition that a pane is tried with. */
async function tryDefinition(
  pane: Locator,
  change: (definition: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  const editor = pane.getByLabel(/^Definition on the/);
  if (!(await editor.isVisible())) await pane.getByRole("button", { name: "Try another definition" }).click();
  await expect(editor).not.toHaveValue("");
  await editor.fill(JSON.stringify(change(JSON.parse(await editor.inputValue())), null, 2));
}

const mail = "Send an email to ada@example.com: “Your invoice is ready”";

browserTest.describe("the playground", () => {
  browserTest("tries a draft live, and shows each mistake in it by its path", async ({ ownerPage: page }) => {
    await page.goto("/playground?left=clerk");
    const left = side(page, "Left");
    await expect(left.getByRole("combobox", { name: "Agent on the left" })).toContainText("Mail clerk");
    await tryDefinition(left, (definition) => ({ ...definition, tools: ["find_customer", "rocket"] }));
    await expect(left.getByText("Draft", { exact: true })).toBeVisible();
    await say(page, mail);
    const wrong = left.getByRole("alert").filter({ hasText: "CONFIG_INVALID" });
    await expect(wrong.getByRole("listitem").filter({ hasText: "draft.tools[1]" })).toContainText("rocket");
    expect(await lookAt(page, "playground-refused")).toEqual([]);

    // Nobody has to approve in the draft: the mail is written at once.
    await page.setViewportSize({ width: 1440, height: 900 });
    await tryDefinition(left, (definition) => ({ ...definition, tools: ["send_email"], interruptOn: {} }));
    await wrong.getByRole("button", { name: "Send again" }).click();
    await expect(wrong).toBeHidden();
    await expect(answerIn(left)).toContainText("is written");
    await expect(requestIn(left)).toBeHidden();

    // The draft is saved nowhere: the same conversation, tried with the saved definition, asks first.
    await left.getByRole("button", { name: "Back to the saved one" }).click();
    await expect(left.getByText("Draft", { exact: true })).toBeHidden();
    await say(page, mail);
    await expect(requestIn(left)).toContainText("send_email");
  });

  browserTest(
    "says the same to two definitions side by side, each in its own conversation",
    async ({ ownerPage: page }) => {
      await page.goto("/playground?left=clerk");
      await page.getByRole("button", { name: "Compare" }).click();
      const [left, right] = [side(page, "Left"), side(page, "Right")];
      await tryDefinition(right, (definition) => ({ ...definition, interruptOn: {} }));
      await say(page, mail);
      await expect(answerIn(right)).toContainText("is written");
      await expect(requestIn(left)).toContainText("send_email");
      await expect(requestIn(right)).toBeHidden();
      await expect(page).toHaveURL(
        /leftSession=Session_.*rightSession=Session_|rightSession=Session_.*leftSession=Session_/,
      );
      const sessions = ["leftSession", "rightSession"].map((name) => new URL(page.url()).searchParams.get(name));
      expect(new Set(sessions).size).toBe(2);
      expect(await lookAt(page, "playground-compared")).toEqual([]);
      await page.setViewportSize({ width: 1440, height: 900 });

      // All of it is in the address: another look finds both conversations, and goes on in them.
      await page.reload();
      await expect(answerIn(right)).toContainText("is written");
      await requestIn(left).getByRole("button", { name: "Approve", exact: true }).click();
      await expect(requestIn(left)).toBeHidden();
      await expect(answerIn(left)).toContainText("is written");
    },
  );

  browserTest("offers nothing that people do not work with, and the list says why", async ({ ownerPage: page }) => {
    const define = async (name: string, more: object) => {
      const answer = await page.request.post("/graphql", {
        data: {
          query: `mutation Define($name: String!, $definition: JSON!) {
            upsertConfigEntity(input: { kind: AGENT, name: $name, definition: $definition }) { __typename } }`,
          variables: {
            name,
            definition: { model: { provider: "scripted", model: "guide" }, displayName: `The ${name}`, ...more },
          },
        },
      });
      expect(await answer.json()).toMatchObject({ data: { upsertConfigEntity: { __typename: "ConfigSaved" } } });
    };
    await define("reader", { mode: "SUBAGENT" });
    await define("secret", { hidden: true });
    await define("open", {});
    await page.goto("/playground");
    await page.getByRole("combobox", { name: "Agent on the left" }).click();
    await expect(page.getByRole("option", { name: /^The open/ })).toBeVisible();
    await expect(page.getByRole("option", { name: /^The (reader|secret)/ })).toHaveCount(0);
    await page.keyboard.press("Escape");

    await page.goto("/agents");
    await expect(page.getByRole("row").filter({ hasText: "The reader" })).toContainText("Subagent");
    await expect(page.getByRole("row").filter({ hasText: "The secret" })).toContainText("Hidden");

    await page.goto("/agents/secret");
    await expect(page.getByRole("link", { name: "Open it" })).toHaveAttribute(
      "href",
      `/configuration/agent/secret?scope=${encodeURIComponent('{"project":"default"}')}`,
    );
    await page.getByRole("link", { name: "Try it" }).click();
    await expect(page.getByRole("combobox", { name: "Agent on the left" })).toContainText("The secret");
    await page.goto("/agents/guide");
    await expect(page.getByRole("link", { name: "Try it" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Open it" })).toHaveCount(0);
  });

  browserTest("can be looked at before anything was said", async ({ ownerPage: page }) => {
    await page.goto("/playground?left=guide&leftDefinition=open");
    await expect(page.getByLabel("Definition on the left")).not.toHaveValue("");
    expect(await lookAt(page, "playground")).toEqual([]);
  });
});
