-- AlterTable
ALTER TABLE "schedules" ADD COLUMN     "last_error" TEXT,
ADD COLUMN     "last_task_id" TEXT,
ADD COLUMN     "session_policy" TEXT NOT NULL DEFAULT 'SAME';

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "attempt_limit" INTEGER NOT NULL DEFAULT 8,
ADD COLUMN     "attempted_at" TIMESTAMP(3),
ADD COLUMN     "project_id" TEXT;

UPDATE "webhook_deliveries" SET "project_id" = (SELECT "project_id" FROM "webhooks" WHERE "webhooks"."id" = "webhook_id");

ALTER TABLE "webhook_deliveries" ALTER COLUMN "project_id" SET NOT NULL;

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "disabled_reason" TEXT,
ADD COLUMN     "previous_secret_cipher" TEXT,
ADD COLUMN     "previous_secret_until" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "schedules_last_task_id_idx" ON "schedules"("last_task_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_project_id_created_at_id_idx" ON "webhook_deliveries"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_task_id_idx" ON "webhook_deliveries"("task_id");

-- CreateIndex
CREATE INDEX "webhooks_project_id_idx" ON "webhooks"("project_id");

-- AddForeignKey
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_last_task_id_fkey" FOREIGN KEY ("last_task_id") REFERENCES "tasks"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the models cannot say; listed in prisma/hand-finished.ts.

ALTER TABLE "schedules" ADD CONSTRAINT "schedules_overlap_policy_check" CHECK ("overlap_policy" IN ('SKIP', 'ENQUEUE', 'INTERRUPT', 'ALLOW'));

ALTER TABLE "schedules" ADD CONSTRAINT "schedules_session_policy_check" CHECK ("session_policy" IN ('SAME', 'NEW'));
