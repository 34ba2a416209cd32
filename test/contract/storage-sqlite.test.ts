import { storageContract } from "@wheelhouse/storage/contract";
import { describe } from "vitest";
import { openWorld } from "../worlds/open-world.ts";

describe("storage on SQLite", () => storageContract(() => openWorld("sqlite")));
