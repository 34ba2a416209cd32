import { createHmac } from "node:crypto";
import type { ArtifactKind } from "@wheelhouse/domain";
import { artifactRoutes } from "@wheelhouse/domain";

export interface KeyParts {
  scopeKey: string;
  kind: ArtifactKind;
  artifactId: string;
  version: number;
  sha256: string;
}

/**
 * `scopes/<HMAC of the scope's key>/<route of the kind>/<artifact>/<version>/<sha256>`. Nothing of it can be guessed from
 * outside, and no name that people chose is in it: a key has no case, no Unicode and no way up.
 */
export type ObjectKeys = (parts: KeyParts) => string;

/** The keys of an installation. `secret` stays the same as long as there are bodies. */
export function objectKeys(secret: string): ObjectKeys {
  return ({ scopeKey, kind, artifactId, version, sha256 }) => {
    const scope = createHmac("sha256", secret).update(scopeKey).digest("hex");
    return `scopes/${scope}/${artifactRoutes[kind].route}/${artifactId}/${version}/${sha256}`;
  };
}

/** Where a body lies until its own key is known. No manifest ever names such a key. */
export const stagingPrefix = "staging/";

const shape = /^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9-]*)*$/;

/** A key as a store may take it; anything else is a mistake of the caller. */
export function checkedKey(key: string): string {
  if (!shape.test(key) || key.length > 512) throw new TypeError("This is not the key of a body");
  return key;
}
