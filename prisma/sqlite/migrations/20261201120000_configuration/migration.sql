-- Configuration is written: its changes have one order per project, deleted definitions keep their history, what names what
-- is found by index, and so are the scopes that definitions have.
-- DropIndex
DROP INDEX "config_changes_project_id_position_idx";

-- AlterTable
ALTER TABLE "agents" ADD COLUMN "removed_at" DATETIME;

-- AlterTable
ALTER TABLE "config_entities" ADD COLUMN "deleted_at" DATETIME;
ALTER TABLE "config_entities" ADD COLUMN "pinned_label" TEXT;

-- CreateTable
CREATE TABLE "config_references" (
    "entity_id" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,

    PRIMARY KEY ("entity_id", "path"),
    CONSTRAINT "config_references_entity_id_fkey" FOREIGN KEY ("entity_id") REFERENCES "config_entities" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "config_references_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "config_references_kind_check" CHECK ("kind" IN ('PROVIDER', 'TOOL', 'SKILL', 'AGENT', 'MCP_SERVER', 'SANDBOX_PROFILE', 'DEFAULTS'))
);

-- CreateTable
CREATE TABLE "config_shapes" (
    "project_id" TEXT NOT NULL,
    "keys" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL,

    PRIMARY KEY ("project_id", "keys"),
    CONSTRAINT "config_shapes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- AlterTable
ALTER TABLE "config_revisions" ADD COLUMN "enabled" BOOLEAN NOT NULL DEFAULT true;

-- CreateIndex
CREATE INDEX "config_references_project_id_kind_name_idx" ON "config_references"("project_id", "kind", "name");

-- CreateIndex
CREATE UNIQUE INDEX "config_changes_project_id_position_key" ON "config_changes"("project_id", "position");

-- CreateIndex
CREATE INDEX "config_entities_project_id_scope_key_kind_name_idx" ON "config_entities"("project_id", "scope_key", "kind", "name");
