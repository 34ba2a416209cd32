import { randomBytes } from "node:crypto";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from "@aws-sdk/client-s3";
import type { S3Options } from "@wheelhouse/artifacts/s3";

/** A place in an S3 server that nobody used before. Disposing empties it, and fails when uploads were left unfinished. */
export interface FreshBucket extends AsyncDisposable {
  options: S3Options & { endpoint: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  client: S3Client;
  /** The place of a body's key in the bucket. */
  keyOf: (key: string) => string;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set; npm test starts an S3 server, or takes the one that S3_ENDPOINT names`);
  return value;
}

/** Where tests may make buckets, or use a part of one. `npm test` sets it. */
export async function freshBucket(more: Partial<S3Options> = {}): Promise<FreshBucket> {
  const endpoint = required("TEST_S3_ENDPOINT");
  const region = process.env.TEST_S3_REGION ?? "us-east-1";
  const credentials = {
    accessKeyId: required("TEST_S3_ACCESS_KEY_ID"),
    secretAccessKey: required("TEST_S3_SECRET_ACCESS_KEY"),
  };
  const name = `wh-test-${randomBytes(8).toString("hex")}`;
  const given = process.env.TEST_S3_BUCKET;
  const [bucket, prefix] = given === undefined ? [name, "pre/fix"] : [given, name];
  const client = new S3Client({ region, endpoint, credentials, forcePathStyle: true });
  if (given === undefined) await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const options = { bucket, prefix, region, endpoint, credentials, ...more };
  return {
    options,
    client,
    keyOf: (key) => `${options.prefix}/${key}`,
    async [Symbol.asyncDispose]() {
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      for (;;) {
        const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
        if (Contents.length === 0) break;
        await Promise.all(Contents.map(({ Key }) => client.send(new DeleteObjectCommand({ Bucket: bucket, Key }))));
      }
      if (given === undefined && Uploads.length === 0) await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
      if (Uploads.length > 0) throw new Error(`${Uploads.length} uploads were left unfinished`);
    },
  };
}
