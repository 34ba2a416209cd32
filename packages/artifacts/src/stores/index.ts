// The store in S3 has a door of its own: its library takes as long to load as everything else of a command.
export { openDatabaseStore } from "./database.ts";
export { type DirectoryOptions, openDirectoryStore } from "./directory.ts";
