-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "head_checkpoint" TEXT;
ALTER TABLE "sessions" ADD COLUMN "head_run_id" TEXT;
ALTER TABLE "sessions" ADD COLUMN "prune_due_at" DATETIME;

-- Conversations that are there already stand wherever their last run that has ended got to.
UPDATE "sessions" SET "head_run_id" = (
  SELECT r."id" FROM "runs" r
  WHERE r."session_id" = "sessions"."id" AND r."started_at" IS NOT NULL AND r."finished_at" IS NOT NULL
  ORDER BY r."started_at" DESC, r."id" DESC LIMIT 1
);

-- Hand-finished: sessions whose checkpoints wait to be pruned.
CREATE INDEX "sessions_prune_due" ON "sessions"("prune_due_at") WHERE prune_due_at is not null;
