import { describe, expect, it } from "vitest";
import { matchScore, searchCommands, targetsOfId } from "./palette-search.ts";

const command = (label: string, keywords?: string) => ({ id: label, label, ...(keywords ? { keywords } : {}) });

describe("searchCommands", () => {
  const commands = [
    command("Go to Conversations", "sessions chats"),
    command("Go to Runs"),
    command("New conversation", "start chat"),
    command("Switch to dark theme", "appearance night"),
    command("Größenrechner"),
  ];
  const labels = (query: string) => searchCommands(query, commands).map((each) => each.label);

  it("answers everything in order for an empty query", () => {
    expect(labels(" ")).toEqual(commands.map((each) => each.label));
  });

  it("puts the start of the label before the start of a word", () => {
    expect(labels("conv")).toEqual(["Go to Conversations", "New conversation"]);
    expect(labels("new conv")).toEqual(["New conversation"]);
  });

  it("finds by keywords, by letters in order and in any script", () => {
    expect(labels("night")).toEqual(["Switch to dark theme"]);
    expect(labels("swdt")).toEqual(["Switch to dark theme"]);
    expect(labels("größen")).toEqual(["Größenrechner"]);
  });

  it("needs every word", () => {
    expect(labels("dark runs")).toEqual([]);
    expect(matchScore("zzz", command("Runs"))).toBe(0);
  });
});

describe("targetsOfId", () => {
  const uuid = "01900000-0000-7000-8000-000000000001";
  it("leads to the page of a global id", () => {
    expect(targetsOfId(`Session_${uuid}`)).toEqual([
      { label: "Open conversation", href: `/conversations/Session_${uuid}` },
    ]);
    expect(targetsOfId(` Run_${uuid} `)).toEqual([{ label: "Open run", href: `/runs/Run_${uuid}` }]);
  });
  it("offers both pages for a bare UUID and none for other text", () => {
    expect(targetsOfId(uuid)).toHaveLength(2);
    expect(targetsOfId("refund for order 1042")).toEqual([]);
    expect(targetsOfId(`Agent_${uuid}`)).toEqual([]);
  });
});
