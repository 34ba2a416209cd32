import { createHash, randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { BodyHead, BodyStore, ByteStream, ListedBody, PutOptions, StoredBody } from "../body-store.ts";
import { BodyStoreError, bodyMissing } from "../body-store.ts";
import { measured } from "../measure.ts";
import { checkedKey, stagingPrefix } from "../object-keys.ts";
import { inParts } from "./database.ts";
import { isMissing, overS3 } from "./s3-failures.ts";

export interface S3Options {
  bucket: string;
  /** Stands in front of every key, without slashes at its ends; empty for none. */
  prefix: string;
  region: string;
  /** Of a server that is not AWS. */
  endpoint?: string | undefined;
  /** Where they are absent, the SDK looks for the machine's own. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** How long the server may say nothing, milliseconds. */
  silenceMs?: number;
  /** Tries of one request. */
  maxAttempts?: number;
}

/** Bytes of one part of a big upload, and the most that is sent as one request. S3 takes parts of 5 MiB and more. */
const partBytes = 8_388_608;
/** Parts of one upload that are on their way at once: with them an upload holds at most 32 MiB in memory. */
const partsAtOnce = 3;
const deletesAtOnce = 8;

/**
 * Bodies in S3 or a server that speaks its protocol. Nothing relies on what such servers do differently (conditional
 * writes, checksums, versions): keys are never written twice with different bytes, and the database decides.
 */
export function openS3Store(options: S3Options): BodyStore {
  const { bucket: Bucket, prefix, silenceMs = 30_000 } = options;
  const client = clientOf(options, silenceMs);
  const Key = (key: string): string => `${prefix === "" ? "" : `${prefix}/`}${checkedKey(key)}`;
  const open = async (key: string, range: string | undefined, signal: AbortSignal | undefined) => {
    const command = new GetObjectCommand({ Bucket, Key: Key(key), ...(range === undefined ? {} : { Range: range }) });
    const answer = await overS3(() => client.send(command, signal === undefined ? {} : { abortSignal: signal }));
    if (!(answer.Body instanceof Readable)) throw bodyMissing();
    return { bytes: answer.ContentLength ?? 0, body: withoutSilence(answer.Body, silenceMs) };
  };
  return {
    kind: "s3",
    provesWrites: false,
    put: (body, keyOf, put) => putBody({ client, Bucket, Key }, body, keyOf, put),
    get: (key, signal) => open(key, undefined, signal),
    getRange: async (key, { start, end }, signal) => (await open(key, `bytes=${start}-${end}`, signal)).body,
    async head(key): Promise<BodyHead | null> {
      const command = new HeadObjectCommand({ Bucket, Key: Key(key), ChecksumMode: "ENABLED" });
      try {
        const { ContentLength, ChecksumSHA256 } = await overS3(() => client.send(command));
        return { bytes: ContentLength ?? 0, ...reported(ChecksumSHA256) };
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },
    copy: (from, to) => copyBody({ client, Bucket, Key }, from, to),
    async delete(keys) {
      for (let i = 0; i < keys.length; i += deletesAtOnce)
        await Promise.all(
          keys
            .slice(i, i + deletesAtOnce)
            .map((key) => overS3(() => client.send(new DeleteObjectCommand({ Bucket, Key: Key(key) })))),
        );
    },
    presign: (key, { expiresSeconds, contentType, contentDisposition }) => {
      const answer = { ResponseContentType: contentType, ResponseContentDisposition: contentDisposition };
      const command = new GetObjectCommand({ Bucket, Key: Key(key), ...answer });
      return overS3(() => getSignedUrl(client, command, { expiresIn: expiresSeconds }));
    },
    list: ({ after, limit }) => listBodies(client, Bucket, prefix, { after, limit }),
    abandonUploads: (before) => abandonUploads({ client, Bucket, Key, prefix }, before),
    check: () => checkBucket(client, Bucket),
    [Symbol.asyncDispose]: async () => client.destroy(),
  };
}

/** The answer to HEAD has no body: that the bucket is missing looks like a missing object. */
async function checkBucket(client: S3Client, Bucket: string): Promise<void> {
  try {
    await overS3(() => client.send(new HeadBucketCommand({ Bucket })));
  } catch (error) {
    throw isMissing(error)
      ? new BodyStoreError("STORE_UNAVAILABLE", "The object store did not do it", "NoSuchBucket")
      : error;
  }
}

function clientOf({ region, endpoint, credentials, maxAttempts = 3 }: S3Options, silenceMs: number): S3Client {
  return new S3Client({
    region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === undefined ? {} : { credentials }),
    maxAttempts,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: Math.min(silenceMs, 5_000),
      socketTimeout: silenceMs,
    },
  });
}

interface Place {
  client: S3Client;
  Bucket: string;
  Key: (key: string) => string;
}

/** SHA-256 as S3 says it: Base64 of the whole, or Base64 over the parts' digests, `-`, and their number. */
function reported(checksum: string | undefined): Pick<BodyHead, "sha256" | "parts"> {
  if (checksum === undefined) return { sha256: null, parts: null };
  if (checksum.includes("-")) return { sha256: null, parts: checksum };
  return { sha256: Buffer.from(checksum, "base64").toString("hex"), parts: null };
}

/**
 * A body of one part is sent when its end, and with it its key, is known. A bigger one is sent while it comes: under its
 * own key when that was declared, else under one of its own, from where the server copies it.
 */
async function putBody(
  place: Place,
  source: ByteStream,
  keyOf: (sha256: string) => string,
  options: PutOptions,
): Promise<StoredBody> {
  const { body, measure } = measured(source, options);
  const parts = inParts(body, partBytes);
  const first = await parts.next();
  const second = await parts.next();
  if (second.done) {
    const bytes: Uint8Array = first.done ? new Uint8Array() : first.value;
    const key = keyOf(measure.sha256);
    await putWhole(place, key, bytes, { ...options, sha256: measure.sha256 });
    return { key, bytes: measure.bytes, sha256: measure.sha256, parts: null };
  }
  const declared = options.sha256;
  const target = declared === undefined ? `${stagingPrefix}${randomUUID()}` : keyOf(declared);
  const digests: string[] = [];
  async function* all() {
    for (const part of [first.value, second.value]) if (part !== undefined) yield part;
    yield* parts;
  }
  async function* counted() {
    for await (const part of all()) {
      digests.push(createHash("sha256").update(part).digest("hex"));
      yield part;
    }
  }
  await putInParts(place, target, counted(), options);
  const key = declared === undefined ? keyOf(measure.sha256) : target;
  if (target !== key) {
    await copyBody(place, target, key);
    await overS3(() => place.client.send(new DeleteObjectCommand({ Bucket: place.Bucket, Key: place.Key(target) })));
  }
  const composite = createHash("sha256").update(digests.join(""), "hex").digest("base64");
  return { key, bytes: measure.bytes, sha256: measure.sha256, parts: `${composite}-${digests.length}` };
}

async function putWhole(
  { client, Bucket, Key }: Place,
  key: string,
  body: Uint8Array,
  { contentType, sha256 = "", signal }: PutOptions,
): Promise<void> {
  const command = new PutObjectCommand({
    ...{ Bucket, Key: Key(key), Body: body, ContentLength: body.length, ContentType: contentType },
    ...{ ChecksumAlgorithm: "SHA256", ChecksumSHA256: Buffer.from(sha256, "hex").toString("base64") },
  });
  await overS3(() => client.send(command, signal === undefined ? {} : { abortSignal: signal }));
}

/** Nothing is there before the last part is; an upload that fails takes its parts with it. */
async function putInParts(
  { client, Bucket, Key }: Place,
  key: string,
  parts: AsyncGenerator<Uint8Array>,
  { contentType, signal }: PutOptions,
): Promise<void> {
  const source = Readable.from(parts, { objectMode: true, highWaterMark: 1 });
  // What is wrong with the source is its reader's to hear, not the store's fault.
  let broken: Error | null = null;
  source.once("error", (error) => {
    broken ??= error;
  });
  const upload = new Upload({
    client,
    params: { Bucket, Key: Key(key), Body: source, ContentType: contentType, ChecksumAlgorithm: "SHA256" },
    partSize: partBytes,
    queueSize: partsAtOnce,
  });
  const abort = () => void upload.abort();
  signal?.addEventListener("abort", abort, { once: true });
  try {
    await upload.done();
  } catch (error) {
    if (broken !== null) throw broken;
    signal?.throwIfAborted();
    await overS3(() => Promise.reject(error));
  } finally {
    signal?.removeEventListener("abort", abort);
    source.destroy();
  }
}

async function copyBody({ client, Bucket, Key }: Place, from: string, to: string): Promise<void> {
  // S3 refuses to copy an object to itself; all there is to find out is whether it is there.
  if (from === to) return void (await overS3(() => client.send(new HeadObjectCommand({ Bucket, Key: Key(from) }))));
  const source = `${Bucket}/${Key(from)}`.split("/").map(encodeURIComponent).join("/");
  await overS3(() => client.send(new CopyObjectCommand({ Bucket, Key: Key(to), CopySource: source })));
}

async function listBodies(
  client: S3Client,
  Bucket: string,
  prefix: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ListedBody[]> {
  const front = prefix === "" ? "" : `${prefix}/`;
  const found: ListedBody[] = [];
  let last = after;
  while (found.length < limit) {
    const more = last === null ? {} : { StartAfter: `${front}${last}` };
    const command = new ListObjectsV2Command({
      Bucket,
      Prefix: `${front}scopes/`,
      MaxKeys: Math.min(1000, limit),
      ...more,
    });
    const { Contents = [], IsTruncated } = await overS3(() => client.send(command));
    for (const { Key: full = "", Size = 0, LastModified = new Date(0) } of Contents) {
      last = full.slice(front.length);
      found.push({ key: last, bytes: Size, modifiedAt: LastModified });
    }
    if (!IsTruncated) break;
  }
  return found.slice(0, limit);
}

async function abandonUploads(
  { client, Bucket, Key, prefix }: Place & { prefix: string },
  before: Date,
): Promise<number> {
  const front = prefix === "" ? "" : `${prefix}/`;
  let abandoned = 0;
  const uploads = await overS3(() => client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: front })));
  for (const { Key: key, UploadId, Initiated } of uploads.Uploads ?? []) {
    if (key === undefined || Initiated === undefined || Initiated >= before) continue;
    await overS3(() => client.send(new AbortMultipartUploadCommand({ Bucket, Key: key, UploadId })));
    abandoned++;
  }
  const staged = await overS3(() =>
    client.send(new ListObjectsV2Command({ Bucket, Prefix: `${front}${stagingPrefix}` })),
  );
  for (const { Key: key = "", LastModified } of staged.Contents ?? []) {
    if (LastModified === undefined || LastModified >= before) continue;
    await overS3(() => client.send(new DeleteObjectCommand({ Bucket, Key: Key(key.slice(front.length)) })));
    abandoned++;
  }
  return abandoned;
}

/** A body whose server says nothing for too long ends with an error, instead of never. A slow reader is no silence. */
async function* withoutSilence(body: Readable, silenceMs: number): ByteStream {
  const silent = Object.assign(new Error("silence"), { name: "TimeoutError" });
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const next = async () => {
    const timer = setTimeout(() => body.destroy(silent), silenceMs);
    try {
      return await overS3(() => chunks.next());
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) yield chunk.value;
  } finally {
    body.destroy();
  }
}
