#!/usr/bin/env node
// The command runs its TypeScript sources; tsx teaches this process to load them.
import { register } from "tsx/esm/api";

register();
await import("../src/main.ts");
