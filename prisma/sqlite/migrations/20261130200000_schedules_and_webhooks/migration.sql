-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "disabled_reason" TEXT;
ALTER TABLE "webhooks" ADD COLUMN "previous_secret_cipher" TEXT;
ALTER TABLE "webhooks" ADD COLUMN "previous_secret_until" DATETIME;

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_schedules" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "overlap_policy" TEXT NOT NULL,
    "session_policy" TEXT NOT NULL DEFAULT 'SAME',
    "agent_name" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "input" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "next_at" DATETIME,
    "last_at" DATETIME,
    "last_task_id" TEXT,
    "last_error" TEXT,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "schedules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "schedules_last_task_id_fkey" FOREIGN KEY ("last_task_id") REFERENCES "tasks" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "schedules_overlap_policy_check" CHECK ("overlap_policy" IN ('SKIP', 'ENQUEUE', 'INTERRUPT', 'ALLOW')),
    CONSTRAINT "schedules_session_policy_check" CHECK ("session_policy" IN ('SAME', 'NEW'))
);
INSERT INTO "new_schedules" ("agent_name", "created_at", "cron", "enabled", "id", "input", "last_at", "name", "next_at", "overlap_policy", "project_id", "scope", "time_zone", "updated_at") SELECT "agent_name", "created_at", "cron", "enabled", "id", "input", "last_at", "name", "next_at", "overlap_policy", "project_id", "scope", "time_zone", "updated_at" FROM "schedules";
DROP TABLE "schedules";
ALTER TABLE "new_schedules" RENAME TO "schedules";
CREATE INDEX "schedules_enabled_next_at_idx" ON "schedules"("enabled", "next_at");
CREATE INDEX "schedules_last_task_id_idx" ON "schedules"("last_task_id");
CREATE UNIQUE INDEX "schedules_project_id_name_key" ON "schedules"("project_id", "name");
CREATE TABLE "new_webhook_deliveries" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "project_id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "task_id" TEXT,
    "event" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempt_limit" INTEGER NOT NULL DEFAULT 8,
    "attempted_at" DATETIME,
    "response_code" INTEGER,
    "error" TEXT,
    "next_attempt_at" DATETIME,
    "created_at" DATETIME NOT NULL,
    "updated_at" DATETIME NOT NULL,
    CONSTRAINT "webhook_deliveries_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_deliveries_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('PENDING', 'DELIVERED', 'FAILED'))
);
INSERT INTO "new_webhook_deliveries" ("project_id", "attempts", "created_at", "error", "event", "id", "next_attempt_at", "payload", "response_code", "status", "task_id", "updated_at", "webhook_id") SELECT w."project_id", d."attempts", d."created_at", d."error", d."event", d."id", d."next_attempt_at", d."payload", d."response_code", d."status", d."task_id", d."updated_at", d."webhook_id" FROM "webhook_deliveries" d JOIN "webhooks" w ON w."id" = d."webhook_id";
DROP TABLE "webhook_deliveries";
ALTER TABLE "new_webhook_deliveries" RENAME TO "webhook_deliveries";
CREATE INDEX "webhook_deliveries_status_next_attempt_at_idx" ON "webhook_deliveries"("status", "next_attempt_at");
CREATE INDEX "webhook_deliveries_project_id_created_at_id_idx" ON "webhook_deliveries"("project_id", "created_at" DESC, "id" DESC);
CREATE INDEX "webhook_deliveries_webhook_id_created_at_idx" ON "webhook_deliveries"("webhook_id", "created_at");
CREATE INDEX "webhook_deliveries_task_id_idx" ON "webhook_deliveries"("task_id");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "webhooks_project_id_idx" ON "webhooks"("project_id");
