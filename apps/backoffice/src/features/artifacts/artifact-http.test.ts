import { describe, expect, it } from "vitest";
import { refusalIn } from "./artifact-http.ts";

describe("what the server refuses over HTTP", () => {
  it("keeps its code, its words and its fields", () => {
    const issues = [{ path: "path", message: "must not be empty" }];
    const body = JSON.stringify({ errors: [{ message: "path: no", extensions: { code: "INVALID_INPUT", issues } }] });
    expect(refusalIn(400, body)).toMatchObject({ code: "INVALID_INPUT", message: "path: no", issues });
  });

  it("has a code even when something else has answered", () => {
    expect(refusalIn(502, "<html>")).toMatchObject({ code: "HTTP_502", message: "The server answered 502" });
    expect(refusalIn(500, "{}").code).toBe("HTTP_500");
  });
});
