-- CreateTable
CREATE TABLE "artifacts" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "scope_key" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "latest_version" INTEGER NOT NULL,
    "visibility" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "session_id" TEXT,
    "task_id" TEXT,
    "run_id" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "artifacts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "artifacts_kind_check" CHECK ("kind" IN ('ARTIFACT', 'FILE', 'MEMORY', 'CONTRACT', 'EVALUATION', 'POLICY', 'SCRATCH', 'PAYLOAD'))
);

-- CreateTable
CREATE TABLE "artifact_versions" (
    "id" TEXT NOT NULL,
    "artifact_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "checksum" TEXT NOT NULL,
    "body_store" TEXT NOT NULL,
    "object_key" TEXT,
    "inline_body" BYTEA,
    "parent_version" INTEGER,
    "run_id" TEXT,
    "checkpoint_id" TEXT,
    "created_by" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "artifact_versions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "artifact_versions_body_store_check" CHECK ("body_store" IN ('database', 'directory', 's3'))
);

-- CreateTable
CREATE TABLE "config_entities" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "scope_key" TEXT NOT NULL,
    "scope_depth" INTEGER NOT NULL,
    "definition" JSONB NOT NULL,
    "revision" INTEGER NOT NULL,
    "digest" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_by" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "config_entities_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "config_entities_kind_check" CHECK ("kind" IN ('PROVIDER', 'TOOL', 'SKILL', 'AGENT', 'MCP_SERVER', 'SANDBOX_PROFILE', 'DEFAULTS')),
    CONSTRAINT "config_entities_source_check" CHECK ("source" IN ('FILE', 'API', 'CODE'))
);

-- CreateTable
CREATE TABLE "config_revisions" (
    "id" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "definition" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "reason" TEXT,
    "author" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "config_revisions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "config_labels" (
    "id" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "config_labels_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "config_changes" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "position" BIGINT,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "scope_key" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "revision" INTEGER,
    "at" TIMESTAMP(3) NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "config_changes_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "config_changes_operation_check" CHECK ("operation" IN ('CREATED', 'UPDATED', 'DELETED', 'LABELLED'))
);

-- CreateTable
CREATE TABLE "agents" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "scope_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "description" TEXT,
    "input_schema" JSONB,
    "output_schema" JSONB,
    "graph" JSONB,
    "source" TEXT NOT NULL,
    "config_entity_id" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "agents_source_check" CHECK ("source" IN ('FILE', 'API', 'CODE'))
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "scope_key" TEXT NOT NULL,
    "external_id" TEXT,
    "idempotency_key" TEXT,
    "request_fingerprint" TEXT,
    "thread_id" TEXT NOT NULL,
    "title" TEXT,
    "status" TEXT NOT NULL DEFAULT 'IDLE',
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "last_sequence" INTEGER NOT NULL DEFAULT 0,
    "last_message_seq" INTEGER NOT NULL DEFAULT 0,
    "run_count" INTEGER NOT NULL DEFAULT 0,
    "task_count" INTEGER NOT NULL DEFAULT 0,
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "step_count" INTEGER NOT NULL DEFAULT 0,
    "error_count" INTEGER NOT NULL DEFAULT 0,
    "model_call_count" INTEGER NOT NULL DEFAULT 0,
    "prompt_tokens" INTEGER NOT NULL DEFAULT 0,
    "completion_tokens" INTEGER NOT NULL DEFAULT 0,
    "total_tokens" INTEGER NOT NULL DEFAULT 0,
    "cached_prompt_tokens" INTEGER NOT NULL DEFAULT 0,
    "reasoning_tokens" INTEGER NOT NULL DEFAULT 0,
    "usage_status" TEXT NOT NULL DEFAULT 'COMPLETE',
    "first_message" TEXT,
    "last_message" TEXT,
    "last_activity_at" TIMESTAMP(3) NOT NULL,
    "active_run_id" TEXT,
    "last_run_id" TEXT,
    "fence" TEXT,
    "forked_from" TEXT,
    "forked_checkpoint" TEXT,
    "expires_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sessions_status_check" CHECK ("status" IN ('IDLE', 'BUSY', 'WAITING', 'ERROR', 'EXPIRED')),
    CONSTRAINT "sessions_usage_status_check" CHECK ("usage_status" IN ('COMPLETE', 'PARTIAL', 'UNAVAILABLE'))
);

-- CreateTable
CREATE TABLE "messages" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "scope_key" TEXT NOT NULL,
    "run_id" TEXT,
    "task_id" TEXT,
    "role" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "parts" JSONB,
    "parent_id" TEXT,
    "tool_calls" JSONB,
    "tool_call_id" TEXT,
    "model" TEXT,
    "token_count" INTEGER,
    "seq" INTEGER NOT NULL,
    "langgraph_message_id" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "messages_role_check" CHECK ("role" IN ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL'))
);

-- CreateTable
CREATE TABLE "feedback" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT,
    "run_id" TEXT,
    "message_id" TEXT,
    "kind" TEXT NOT NULL,
    "value" DOUBLE PRECISION,
    "comment" TEXT,
    "created_by_kind" TEXT NOT NULL,
    "created_by_id" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "feedback_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "feedback_kind_check" CHECK ("kind" IN ('THUMBS', 'SCORE', 'COMMENT'))
);

-- CreateTable
CREATE TABLE "notes" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "author_id" TEXT,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tags" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "tags_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "session_tags" (
    "session_id" TEXT NOT NULL,
    "tag_id" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "session_tags_pkey" PRIMARY KEY ("session_id","tag_id")
);

-- CreateTable
CREATE TABLE "saved_views" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "page" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "shared" BOOLEAN NOT NULL DEFAULT false,
    "schema_version" INTEGER NOT NULL,
    "state" JSONB NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "saved_views_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "scope_key" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "status_reason" TEXT,
    "input" JSONB NOT NULL,
    "output" JSONB,
    "idempotency_key" TEXT,
    "request_fingerprint" TEXT NOT NULL,
    "current_run_id" TEXT,
    "last_run_id" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "tasks_status_check" CHECK ("status" IN ('SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELLED', 'REJECTED'))
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "scope_key" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "recoveries" INTEGER NOT NULL DEFAULT 0,
    "parent_run_id" TEXT,
    "input" JSONB NOT NULL,
    "output" JSONB,
    "context" JSONB,
    "manifest" JSONB NOT NULL,
    "manifest_digest" TEXT NOT NULL,
    "agent_revision" INTEGER,
    "error_code" TEXT,
    "error_message" TEXT,
    "owner" TEXT,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "lease_expires_at" TIMESTAMP(3),
    "cancel_requested_at" TIMESTAMP(3),
    "queue_position" INTEGER,
    "queued_at" TIMESTAMP(3) NOT NULL,
    "started_at" TIMESTAMP(3),
    "first_event_at" TIMESTAMP(3),
    "finished_at" TIMESTAMP(3),
    "duration_ms" INTEGER,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "total_tokens" INTEGER,
    "cached_prompt_tokens" INTEGER,
    "reasoning_tokens" INTEGER,
    "model_call_count" INTEGER NOT NULL DEFAULT 0,
    "step_count" INTEGER NOT NULL DEFAULT 0,
    "usage_status" TEXT NOT NULL DEFAULT 'COMPLETE',
    "trace_id" TEXT,
    "busy_policy" TEXT NOT NULL,
    "checkpoint_before" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "runs_busy_policy_check" CHECK ("busy_policy" IN ('REJECT', 'ENQUEUE', 'INTERRUPT', 'ROLLBACK')),
    CONSTRAINT "runs_status_check" CHECK ("status" IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'INTERRUPTED')),
    CONSTRAINT "runs_usage_status_check" CHECK ("usage_status" IN ('COMPLETE', 'PARTIAL', 'UNAVAILABLE'))
);

-- CreateTable
CREATE TABLE "steps" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "parent_step_id" TEXT,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "inputs" JSONB,
    "output" JSONB,
    "prompt" JSONB,
    "error" TEXT,
    "tool_uri" TEXT,
    "tool_call_id" TEXT,
    "payload_ref" JSONB,
    "started_at" TIMESTAMP(3) NOT NULL,
    "finished_at" TIMESTAMP(3),
    "duration_ms" INTEGER,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "steps_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "steps_kind_check" CHECK ("kind" IN ('NODE', 'MODEL', 'TOOL', 'SUBAGENT', 'RETRIEVAL', 'MIDDLEWARE')),
    CONSTRAINT "steps_status_check" CHECK ("status" IN ('RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'))
);

-- CreateTable
CREATE TABLE "events" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "run_id" TEXT,
    "task_id" TEXT,
    "step_id" TEXT,
    "sequence" INTEGER NOT NULL,
    "position" BIGINT,
    "type" TEXT NOT NULL,
    "visibility" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "trace_id" TEXT,
    "span_id" TEXT,
    "at" TIMESTAMP(3) NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "events_visibility_check" CHECK ("visibility" IN ('END_USER', 'OPERATOR', 'INTERNAL'))
);

-- CreateTable
CREATE TABLE "interrupts" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "interrupt_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "action_requests" JSONB NOT NULL,
    "allowed_decisions" JSONB NOT NULL,
    "requested_at" TIMESTAMP(3) NOT NULL,
    "expires_at" TIMESTAMP(3),
    "decided_at" TIMESTAMP(3),
    "decided_by" TEXT,
    "decision" TEXT,
    "decision_value" JSONB,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "interrupts_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "interrupts_decision_check" CHECK ("decision" IN ('APPROVE', 'EDIT', 'REJECT', 'RESPOND')),
    CONSTRAINT "interrupts_kind_check" CHECK ("kind" IN ('TOOL_APPROVAL', 'QUESTION'))
);

-- CreateTable
CREATE TABLE "model_calls" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "scope_key" TEXT NOT NULL,
    "agent_id" TEXT,
    "session_id" TEXT,
    "run_id" TEXT,
    "step_id" TEXT,
    "call_type" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "prompt_tokens" INTEGER,
    "completion_tokens" INTEGER,
    "total_tokens" INTEGER,
    "cached_prompt_tokens" INTEGER,
    "cache_write_tokens" INTEGER,
    "reasoning_tokens" INTEGER,
    "batch_size" INTEGER,
    "status" TEXT NOT NULL,
    "response_code" TEXT,
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "error" TEXT,
    "request_ref" JSONB,
    "response_ref" JSONB,
    "started_at" TIMESTAMP(3) NOT NULL,
    "duration_ms" INTEGER,
    "time_to_first_token_ms" INTEGER,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "model_calls_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "model_calls_call_type_check" CHECK ("call_type" IN ('LLM', 'EMBEDDING')),
    CONSTRAINT "model_calls_status_check" CHECK ("status" IN ('OK', 'ERROR', 'CANCELLED'))
);

-- CreateTable
CREATE TABLE "usage_rollups" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "bucket" TIMESTAMP(3) NOT NULL,
    "agent_id" TEXT NOT NULL DEFAULT '',
    "model" TEXT NOT NULL DEFAULT '',
    "status" TEXT NOT NULL DEFAULT '',
    "sessions" INTEGER NOT NULL DEFAULT 0,
    "runs" INTEGER NOT NULL DEFAULT 0,
    "tasks" INTEGER NOT NULL DEFAULT 0,
    "messages" INTEGER NOT NULL DEFAULT 0,
    "steps" INTEGER NOT NULL DEFAULT 0,
    "model_calls" INTEGER NOT NULL DEFAULT 0,
    "errors" JSONB NOT NULL DEFAULT '{}',
    "prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "completion_tokens" BIGINT NOT NULL DEFAULT 0,
    "total_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_prompt_tokens" BIGINT NOT NULL DEFAULT 0,
    "cache_write_tokens" BIGINT NOT NULL DEFAULT 0,
    "reasoning_tokens" BIGINT NOT NULL DEFAULT 0,
    "histograms" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "usage_rollups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "filter" JSONB,
    "frozen_set" JSONB,
    "progress" JSONB NOT NULL DEFAULT '{}',
    "counts" JSONB NOT NULL DEFAULT '{}',
    "error" TEXT,
    "receipt" JSONB,
    "requested_by" TEXT,
    "cancel_requested_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "jobs_status_check" CHECK ("status" IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'))
);

-- CreateTable
CREATE TABLE "schedules" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "overlap_policy" TEXT NOT NULL,
    "agent_name" TEXT NOT NULL,
    "scope" JSONB NOT NULL,
    "input" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "next_at" TIMESTAMP(3),
    "last_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "secret_cipher" TEXT NOT NULL,
    "events" JSONB NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "task_id" TEXT,
    "event" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "response_code" INTEGER,
    "error" TEXT,
    "next_attempt_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('PENDING', 'DELIVERED', 'FAILED'))
);

-- CreateTable
CREATE TABLE "worker_leases" (
    "id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "running" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMP(3) NOT NULL,
    "beat_at" TIMESTAMP(3) NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "worker_leases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "settings" JSONB NOT NULL DEFAULT '{}',
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "name" TEXT NOT NULL,
    "image" TEXT,
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "disabled_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "provider_id" TEXT NOT NULL,
    "access_token" TEXT,
    "refresh_token" TEXT,
    "id_token" TEXT,
    "access_token_expires_at" TIMESTAMP(3),
    "refresh_token_expires_at" TIMESTAMP(3),
    "scope" TEXT,
    "password" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auth_sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "ip_address" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "auth_sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "verifications" (
    "id" TEXT NOT NULL,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expires_at" TIMESTAMP(3) NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "verifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "memberships_role_check" CHECK ("role" IN ('VIEWER', 'OPERATOR', 'EDITOR', 'OWNER'))
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "project_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "secret_hash" TEXT NOT NULL,
    "permissions" JSONB NOT NULL DEFAULT '[]',
    "reach" TEXT NOT NULL,
    "fixed_scope" JSONB,
    "expires_at" TIMESTAMP(3),
    "last_used_at" TIMESTAMP(3),
    "revoked_at" TIMESTAMP(3),
    "created_at" TIMESTAMP(3) NOT NULL,
    "updated_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_keys_reach_check" CHECK ("reach" IN ('EXACT', 'PROJECT'))
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "chain" TEXT NOT NULL,
    "project_id" TEXT,
    "position" INTEGER NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "action" TEXT NOT NULL,
    "subject_kind" TEXT NOT NULL,
    "subject_id" TEXT,
    "before" JSONB,
    "after" JSONB,
    "reason" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "prev_hash" TEXT,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_entries_actor_kind_check" CHECK ("actor_kind" IN ('USER', 'API_KEY', 'SYSTEM'))
);

-- CreateIndex
CREATE INDEX "artifacts_session_id_idx" ON "artifacts"("session_id");

-- CreateIndex
CREATE INDEX "artifacts_run_id_idx" ON "artifacts"("run_id");

-- CreateIndex
CREATE UNIQUE INDEX "artifacts_project_id_scope_key_path_key" ON "artifacts"("project_id", "scope_key", "path");

-- CreateIndex
CREATE UNIQUE INDEX "artifact_versions_artifact_id_version_key" ON "artifact_versions"("artifact_id", "version");

-- CreateIndex
CREATE UNIQUE INDEX "config_entities_project_id_kind_name_scope_key_key" ON "config_entities"("project_id", "kind", "name", "scope_key");

-- CreateIndex
CREATE UNIQUE INDEX "config_revisions_entity_id_revision_key" ON "config_revisions"("entity_id", "revision");

-- CreateIndex
CREATE UNIQUE INDEX "config_labels_entity_id_label_key" ON "config_labels"("entity_id", "label");

-- CreateIndex
CREATE INDEX "config_changes_project_id_position_idx" ON "config_changes"("project_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "agents_project_id_scope_key_name_key" ON "agents"("project_id", "scope_key", "name");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_thread_id_key" ON "sessions"("thread_id");

-- CreateIndex
CREATE INDEX "sessions_project_id_last_activity_at_id_idx" ON "sessions"("project_id", "last_activity_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_project_id_agent_id_last_activity_at_id_idx" ON "sessions"("project_id", "agent_id", "last_activity_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_scope_key_last_activity_at_id_idx" ON "sessions"("scope_key", "last_activity_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_project_id_created_at_id_idx" ON "sessions"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_project_id_external_id_idx" ON "sessions"("project_id", "external_id");

-- CreateIndex
CREATE INDEX "sessions_last_activity_at_idx" ON "sessions"("last_activity_at");

-- CreateIndex
CREATE INDEX "sessions_last_run_id_idx" ON "sessions"("last_run_id");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_project_id_scope_key_agent_id_external_id_key" ON "sessions"("project_id", "scope_key", "agent_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_project_id_scope_key_agent_id_idempotency_key_key" ON "sessions"("project_id", "scope_key", "agent_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "messages_run_id_idx" ON "messages"("run_id");

-- CreateIndex
CREATE UNIQUE INDEX "messages_session_id_seq_key" ON "messages"("session_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "messages_session_id_langgraph_message_id_key" ON "messages"("session_id", "langgraph_message_id");

-- CreateIndex
CREATE INDEX "feedback_project_id_created_at_idx" ON "feedback"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "feedback_session_id_idx" ON "feedback"("session_id");

-- CreateIndex
CREATE INDEX "notes_session_id_idx" ON "notes"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "tags_project_id_name_key" ON "tags"("project_id", "name");

-- CreateIndex
CREATE INDEX "session_tags_tag_id_idx" ON "session_tags"("tag_id");

-- CreateIndex
CREATE UNIQUE INDEX "saved_views_project_id_user_id_page_name_key" ON "saved_views"("project_id", "user_id", "page", "name");

-- CreateIndex
CREATE INDEX "tasks_project_id_status_created_at_id_idx" ON "tasks"("project_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tasks_project_id_created_at_id_idx" ON "tasks"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "tasks_session_id_created_at_id_idx" ON "tasks"("session_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_project_id_scope_key_agent_id_idempotency_key_key" ON "tasks"("project_id", "scope_key", "agent_id", "idempotency_key");

-- CreateIndex
CREATE INDEX "runs_status_lease_expires_at_idx" ON "runs"("status", "lease_expires_at");

-- CreateIndex
CREATE INDEX "runs_session_id_created_at_id_idx" ON "runs"("session_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "runs_task_id_idx" ON "runs"("task_id");

-- CreateIndex
CREATE INDEX "runs_project_id_status_created_at_id_idx" ON "runs"("project_id", "status", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_project_id_created_at_id_idx" ON "runs"("project_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "steps_session_id_idx" ON "steps"("session_id");

-- CreateIndex
CREATE UNIQUE INDEX "steps_run_id_seq_key" ON "steps"("run_id", "seq");

-- CreateIndex
CREATE INDEX "events_run_id_sequence_idx" ON "events"("run_id", "sequence");

-- CreateIndex
CREATE UNIQUE INDEX "events_session_id_sequence_key" ON "events"("session_id", "sequence");

-- CreateIndex
CREATE INDEX "interrupts_session_id_idx" ON "interrupts"("session_id");

-- CreateIndex
CREATE INDEX "interrupts_project_id_decided_at_requested_at_id_idx" ON "interrupts"("project_id", "decided_at", "requested_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "interrupts_run_id_interrupt_id_key" ON "interrupts"("run_id", "interrupt_id");

-- CreateIndex
CREATE INDEX "model_calls_project_id_started_at_id_idx" ON "model_calls"("project_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "model_calls_session_id_idx" ON "model_calls"("session_id");

-- CreateIndex
CREATE INDEX "model_calls_run_id_idx" ON "model_calls"("run_id");

-- CreateIndex
CREATE INDEX "model_calls_agent_id_started_at_idx" ON "model_calls"("agent_id", "started_at");

-- CreateIndex
CREATE UNIQUE INDEX "usage_rollups_project_id_bucket_agent_id_model_status_key" ON "usage_rollups"("project_id", "bucket", "agent_id", "model", "status");

-- CreateIndex
CREATE INDEX "jobs_project_id_created_at_idx" ON "jobs"("project_id", "created_at");

-- CreateIndex
CREATE INDEX "schedules_enabled_next_at_idx" ON "schedules"("enabled", "next_at");

-- CreateIndex
CREATE UNIQUE INDEX "schedules_project_id_name_key" ON "schedules"("project_id", "name");

-- CreateIndex
CREATE INDEX "webhook_deliveries_status_next_attempt_at_idx" ON "webhook_deliveries"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_created_at_idx" ON "webhook_deliveries"("webhook_id", "created_at");

-- CreateIndex
CREATE INDEX "worker_leases_beat_at_idx" ON "worker_leases"("beat_at");

-- CreateIndex
CREATE UNIQUE INDEX "projects_slug_key" ON "projects"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_provider_id_account_id_key" ON "accounts"("provider_id", "account_id");

-- CreateIndex
CREATE UNIQUE INDEX "auth_sessions_token_key" ON "auth_sessions"("token");

-- CreateIndex
CREATE INDEX "auth_sessions_user_id_idx" ON "auth_sessions"("user_id");

-- CreateIndex
CREATE INDEX "verifications_identifier_idx" ON "verifications"("identifier");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "memberships_project_id_user_id_key" ON "memberships"("project_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_prefix_key" ON "api_keys"("prefix");

-- CreateIndex
CREATE INDEX "api_keys_project_id_idx" ON "api_keys"("project_id");

-- CreateIndex
CREATE INDEX "audit_entries_project_id_created_at_idx" ON "audit_entries"("project_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "audit_entries_chain_position_key" ON "audit_entries"("chain", "position");

-- AddForeignKey
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifact_versions" ADD CONSTRAINT "artifact_versions_artifact_id_fkey" FOREIGN KEY ("artifact_id") REFERENCES "artifacts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "config_entities" ADD CONSTRAINT "config_entities_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "config_revisions" ADD CONSTRAINT "config_revisions_entity_id_fkey" FOREIGN KEY ("entity_id") REFERENCES "config_entities"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "config_labels" ADD CONSTRAINT "config_labels_entity_id_fkey" FOREIGN KEY ("entity_id") REFERENCES "config_entities"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "config_changes" ADD CONSTRAINT "config_changes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_last_run_id_fkey" FOREIGN KEY ("last_run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tags" ADD CONSTRAINT "tags_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_tags" ADD CONSTRAINT "session_tags_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session_tags" ADD CONSTRAINT "session_tags_tag_id_fkey" FOREIGN KEY ("tag_id") REFERENCES "tags"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "runs" ADD CONSTRAINT "runs_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "steps" ADD CONSTRAINT "steps_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interrupts" ADD CONSTRAINT "interrupts_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interrupts" ADD CONSTRAINT "interrupts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interrupts" ADD CONSTRAINT "interrupts_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interrupts" ADD CONSTRAINT "interrupts_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "usage_rollups" ADD CONSTRAINT "usage_rollups_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "schedules" ADD CONSTRAINT "schedules_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "auth_sessions" ADD CONSTRAINT "auth_sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the models cannot say; listed in prisma/hand-finished.ts.

CREATE UNIQUE INDEX "runs_one_active_per_session" ON "runs"("session_id") WHERE status in ('QUEUED', 'RUNNING') and queue_position is null;

CREATE INDEX "runs_queue_heads" ON "runs"("queued_at", "id") WHERE status = 'QUEUED' and queue_position is null;

CREATE UNIQUE INDEX "runs_queue_followers" ON "runs"("session_id", "queue_position") WHERE queue_position is not null;

CREATE UNIQUE INDEX "events_feed" ON "events"("project_id", "position") WHERE position is not null;

ALTER TABLE "sessions" SET (fillfactor = 80);

ALTER TABLE "runs" SET (fillfactor = 80);

ALTER TABLE "steps" SET (fillfactor = 80);
