import { describe, expect, it } from "vitest";
import { isFiltered, readFilters, toSessionFilter, writeFilters } from "./conversation-filters.ts";

const read = (query: string) => readFilters(new URLSearchParams(query));

describe("conversation filters", () => {
  it("come back from the address as they were written", () => {
    const filters = {
      agents: ["support", "übersetzer & co"],
      statuses: ["BUSY" as const, "ERROR" as const],
      text: "größe = 48 %",
      order: "CREATED_ASC" as const,
    };
    const params = new URLSearchParams("at=Session_1");
    writeFilters(params, filters);
    expect(readFilters(new URLSearchParams(params.toString()))).toEqual(filters);
    expect(params.get("at")).toBe("Session_1");
  });

  it("leave no trace of what is empty or the default", () => {
    const params = new URLSearchParams("agent=a&status=BUSY&q=x&sort=created-asc");
    writeFilters(params, { agents: [], statuses: [], text: "", order: "LAST_ACTIVITY_DESC" });
    expect(params.toString()).toBe("");
    expect(isFiltered(readFilters(params))).toBe(false);
  });

  it("leave out what they do not know", () => {
    expect(read("status=BUSY&status=NOPE&status=BUSY&sort=sideways&agent=")).toEqual({
      agents: [],
      statuses: ["BUSY"],
      text: "",
      order: "LAST_ACTIVITY_DESC",
    });
    expect(read(`q=${"x".repeat(5000)}`).text).toHaveLength(200);
  });

  it("ask the API only for what is set", () => {
    expect(toSessionFilter(read("q=%20%20"))).toEqual({});
    expect(toSessionFilter(read("agent=a&q=%20refund%20"))).toEqual({ agents: ["a"], text: "refund" });
  });
});
