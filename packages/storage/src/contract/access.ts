import { describe, expect, it } from "vitest";
import type { OpenContractWorld } from "./contract-world.ts";
import { useWorld } from "./sample-work.ts";

/** Projects, people and keys, as far as signing in needs them. */
export function accessContract(openWorld: OpenContractWorld): void {
  describe("access", () => {
    const world = useWorld(openWorld);
    const newKey = (prefix: string) => ({
      projectId: world().projectId,
      name: "CI",
      prefix,
      secretHash: "h".repeat(64),
      permissions: ["read", "submit"],
      reach: "EXACT" as const,
      fixedScope: { project: "acme", user: "u-1" },
      expiresAt: null,
      at: world().clock.now(),
    });

    it("makes a project once", async () => {
      const { access } = world().storage;
      const made = await access.ensureProject({ slug: "initech", name: "Initech", at: world().clock.now() });
      const again = await access.ensureProject({ slug: "initech", name: "Another name", at: world().clock.now() });
      expect(again).toEqual(made);
      expect(await access.projectBySlug("initech")).toEqual(made);
      expect(await access.projectBySlug("nobody")).toBeNull();
    });

    it("grants and changes memberships", async () => {
      const { access } = world().storage;
      const at = world().clock.now();
      expect(await access.countUsers()).toBe(0);
      const user = { id: "u-1", email: "ada@example.com", name: "Ada", createdAt: at, updatedAt: at };
      await world().models.user.create({ data: user });
      expect(await access.countUsers()).toBe(1);
      await access.grantMembership({ projectId: world().projectId, userId: "u-1", role: "VIEWER", at });
      await access.grantMembership({ projectId: world().projectId, userId: "u-1", role: "OWNER", at });
      expect(await access.membershipsOf("u-1")).toMatchObject([{ role: "OWNER", project: { slug: "acme" } }]);
    });

    it("keeps keys, and remembers their use to the minute", async () => {
      const { access } = world().storage;
      const key = await access.createApiKey(newKey("wh_abc"));
      expect(await access.apiKeyByPrefix("wh_abc")).toEqual(key);
      expect(key).toMatchObject({
        projectSlug: "acme",
        fixedScope: { user: "u-1" },
        permissions: ["read", "submit"],
        revokedAt: null,
      });
      const used = async () => (await access.apiKeys(world().projectId)).find(({ id }) => id === key.id)?.lastUsedAt;
      const first = world().clock.now();
      await access.touchApiKey(key.id, first);
      world().clock.advance(30_000);
      await access.touchApiKey(key.id, world().clock.now());
      expect(await used()).toEqual(first);
      world().clock.advance(31_000);
      await access.touchApiKey(key.id, world().clock.now());
      expect(await used()).toEqual(world().clock.now());
    });

    it("revokes a key once", async () => {
      const { access } = world().storage;
      await access.createApiKey({ ...newKey("wh_def"), fixedScope: null, reach: "PROJECT" });
      expect(await access.revokeApiKey("wh_def", world().clock.now())).toBe(true);
      expect(await access.revokeApiKey("wh_def", world().clock.now())).toBe(false);
      expect(await access.apiKeyByPrefix("wh_def")).toMatchObject({ revokedAt: world().clock.now(), fixedScope: null });
      expect(await access.apiKeyByPrefix("wh_xyz")).toBeNull();
    });
  });
}
