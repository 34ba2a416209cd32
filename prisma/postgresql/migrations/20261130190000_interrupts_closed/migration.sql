-- AlterTable
ALTER TABLE "interrupts" ADD COLUMN "closed_at" TIMESTAMP(3);

-- Questions of tasks that were cancelled wait for nobody.
UPDATE "interrupts" SET "closed_at" = "updated_at" WHERE "decided_at" IS NULL
  AND "task_id" NOT IN (SELECT "id" FROM "tasks" WHERE "status" = 'INPUT_REQUIRED');

-- CreateIndex
CREATE INDEX "interrupts_expiring" ON "interrupts"("expires_at") WHERE decided_at is null and closed_at is null;
