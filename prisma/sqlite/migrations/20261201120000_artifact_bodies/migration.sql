-- Bodies that are kept in the database, bodies that are about to be deleted, and how much each project keeps.
CREATE TABLE "artifact_bodies" (
    "object_key" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "body" BLOB NOT NULL,
    "bytes" INTEGER NOT NULL,
    "created_at" DATETIME NOT NULL,

    PRIMARY KEY ("object_key", "part")
);

CREATE TABLE "artifact_body_marks" (
    "object_key" TEXT NOT NULL PRIMARY KEY,
    "body_store" TEXT NOT NULL,
    "marked_at" DATETIME NOT NULL,
    "condemned_at" DATETIME,
    "job_id" TEXT,
    "created_at" DATETIME NOT NULL,
    CONSTRAINT "artifact_body_marks_body_store_check" CHECK ("body_store" IN ('database', 'directory', 's3'))
);

CREATE INDEX "artifact_body_marks_body_store_condemned_at_idx" ON "artifact_body_marks"("body_store", "condemned_at");

CREATE INDEX "artifact_versions_object_key_idx" ON "artifact_versions"("object_key");

ALTER TABLE "projects" ADD COLUMN "artifact_bytes" BIGINT NOT NULL DEFAULT 0;
