import type { ResultOf } from "@wheelhouse/client";
import { graphql } from "../../generated/index.ts";

export const artifactRowFragment = graphql(`
  fragment ArtifactRow on Artifact {
    id
    path
    name
    kind
    latestVersion
    contentType
    bytes
    updatedAt
  }
`);

export const artifactsDocument = graphql(`
  query Artifacts($first: Int!, $after: Cursor, $filter: ArtifactFilter) {
    artifacts(first: $first, after: $after, filter: $filter) {
      nodes { ...ArtifactRow }
      pageInfo { hasNextPage endCursor }
      totalCount
      totalCountIsExact
    }
  }
`);

/** What the first rows of a list are, in short, to see whether they changed. */
export const artifactStampsDocument = graphql(`
  query ArtifactStamps($first: Int!, $filter: ArtifactFilter) {
    artifacts(first: $first, filter: $filter) {
      nodes { id latestVersion }
    }
  }
`);

export const artifactVersionFragment = graphql(`
  fragment VersionRow on ArtifactVersion {
    id
    version
    contentType
    bytes
    checksum
    url
    createdBy
    createdAt
    run { id }
  }
`);

export const artifactDocument = graphql(`
  query Artifact($id: ID!) {
    artifact(id: $id) {
      ...ArtifactRow
      visibility
      scope
      source
      createdAt
      session { id title firstMessage }
      versions(first: 1) { totalCount nodes { ...VersionRow } }
    }
  }
`);

export const artifactVersionDocument = graphql(`
  query ArtifactVersion($id: ID!, $version: Int!) {
    artifact(id: $id) {
      id
      version(version: $version) { ...VersionRow }
    }
  }
`);

export const artifactVersionsDocument = graphql(`
  query ArtifactVersions($id: ID!, $first: Int!, $after: Cursor) {
    artifact(id: $id) {
      id
      versions(first: $first, after: $after) {
        nodes { ...VersionRow }
        pageInfo { hasNextPage endCursor }
        totalCount
        totalCountIsExact
      }
    }
  }
`);

export const artifactDiffDocument = graphql(`
  query ArtifactDiff($id: ID!, $from: Int!, $to: Int!) {
    artifact(id: $id) {
      id
      diff(from: $from, to: $to) {
        added
        removed
        hunks { kind text oldLine newLine }
      }
    }
  }
`);

export const restoreVersionDocument = graphql(`
  mutation RestoreArtifactVersion($id: ID!, $version: Int!, $expectedVersion: Int!) {
    restoreArtifactVersion(input: { artifactId: $id, version: $version, expectedVersion: $expectedVersion }) {
      __typename
      ... on Artifact { id latestVersion }
      ... on Refusal { code message }
    }
  }
`);

export const deleteArtifactDocument = graphql(`
  mutation DeleteArtifact($id: ID!, $expectedVersion: Int!) {
    deleteArtifact(input: { artifactId: $id, expectedVersion: $expectedVersion }) {
      __typename
      ... on Refusal { code message }
    }
  }
`);

export type ArtifactRow = ResultOf<typeof artifactsDocument>["artifacts"]["nodes"][number];
export type ArtifactDetail = NonNullable<ResultOf<typeof artifactDocument>["artifact"]>;
export type VersionRow = ArtifactDetail["versions"]["nodes"][number];
