import { bodyStoreContract } from "@wheelhouse/artifacts/contract";
import { openS3Store } from "@wheelhouse/artifacts/s3";
import { describe } from "vitest";
import { freshBucket } from "../worlds/fresh-bucket.ts";

describe("bodies in S3", () => {
  bodyStoreContract(async () => {
    const bucket = await freshBucket();
    const store = openS3Store(bucket.options);
    return {
      store,
      presigns: true,
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]();
        await bucket[Symbol.asyncDispose]();
      },
    };
  });
});
