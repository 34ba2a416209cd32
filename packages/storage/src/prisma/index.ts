export { type DatabaseTarget, parseDatabaseUrl } from "./database-url.ts";
export {
  applyMigrations,
  type MigrationOptions,
  PoolerError,
  queueState,
  SchemaError,
  type SchemaState,
  schemaState,
} from "./migrations.ts";
export { type OpenStorage, openStorage, type StorageOptions } from "./open-storage.ts";
export { DeafListener } from "./postgres-wake-ups.ts";
