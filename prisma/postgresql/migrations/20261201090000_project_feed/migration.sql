-- Every event gets a place in its project's feed, in the order in which transactions commit. Events from before have none.
CREATE TABLE "event_feed" (
    "id" TEXT NOT NULL,
    "position" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "event_feed_pkey" PRIMARY KEY ("id")
);

INSERT INTO "event_feed" ("id") VALUES ('feed');

DROP INDEX "events_feed";

CREATE INDEX "events_project_id_position_idx" ON "events"("project_id", "position");

ALTER TABLE "sessions" ADD COLUMN "feed_position" BIGINT NOT NULL DEFAULT 0;
