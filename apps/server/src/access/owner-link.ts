import { randomBytes } from "node:crypto";
import { sha256 } from "@wheelhouse/domain/digest";
import type { AccessStore } from "@wheelhouse/storage";
import { z } from "zod";
import type { SignIn } from "./sign-in.ts";

/** The rows of one-time links, as far as they are needed here. */
export interface VerificationTable {
  create(args: {
    data: { id: string; identifier: string; value: string; expiresAt: Date; createdAt: Date; updatedAt: Date };
  }): PromiseLike<unknown>;
  deleteMany(args: {
    where: { identifier: string; value?: string; expiresAt?: { gt?: Date; lte?: Date } };
  }): PromiseLike<{ count: number }>;
}

export interface OwnerLinkDeps {
  access: AccessStore;
  verifications: VerificationTable;
  signIn: SignIn;
  newId: () => string;
  now: () => Date;
}

const identifier = "owner-setup";
const lifetimeMs = 24 * 3_600_000;

/** The path of a new one-time link for the first owner; null when there is one already. Only its hash is kept. */
export async function newOwnerLink(deps: OwnerLinkDeps): Promise<string | null> {
  if ((await deps.access.countUsers()) > 0) return null;
  const token = randomBytes(32).toString("base64url");
  const now = deps.now();
  await deps.verifications.deleteMany({ where: { identifier, expiresAt: { lte: now } } });
  await deps.verifications.create({
    data: {
      id: deps.newId(),
      identifier,
      value: sha256(token),
      expiresAt: new Date(now.getTime() + lifetimeMs),
      createdAt: now,
      updatedAt: now,
    },
  });
  return `/setup?token=${token}`;
}

export const OwnerForm = z.object({
  token: z.string().min(1, "is missing").max(200),
  name: z.string().trim().min(1, "write your name").max(200),
  email: z.email("write an e-mail address").max(320),
  password: z.string().min(10, "use at least 10 characters").max(200, "use at most 200 characters"),
});
export type OwnerForm = z.infer<typeof OwnerForm>;

/** Makes the first owner of a project. False when the link was used, has expired, or never was. */
export async function redeemOwnerLink(deps: OwnerLinkDeps, form: OwnerForm, projectId: string): Promise<boolean> {
  const now = deps.now();
  // Taking the row is the decision: of two that redeem at once, one finds it.
  const taken = await deps.verifications.deleteMany({
    where: { identifier, value: sha256(form.token), expiresAt: { gt: now } },
  });
  if (taken.count !== 1 || (await deps.access.countUsers()) > 0) return false;
  await createOwner(deps, form, projectId);
  await deps.verifications.deleteMany({ where: { identifier } });
  return true;
}

/** A user who owns the project and administers the installation. */
export async function createOwner(
  deps: Pick<OwnerLinkDeps, "access" | "signIn" | "now">,
  owner: { name: string; email: string; password: string },
  projectId: string,
): Promise<void> {
  const user = await deps.signIn.createUser({ ...owner, isAdmin: true });
  await deps.access.grantMembership({ projectId, userId: user.id, role: "OWNER", at: deps.now() });
}
