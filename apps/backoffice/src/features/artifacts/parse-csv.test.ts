import { describe, expect, it } from "vitest";
import { parseCsv, separatorOf } from "./parse-csv.ts";

describe("separated values", () => {
  it("are read with quotes, line ends in fields and empty fields", () => {
    const text = '\uFEFFname,said\r\nAda,"one, ""two""\nthree"\r\n\r\n,\r\nlast,"x"';
    expect(parseCsv(text, { separator: "," })).toEqual([
      ["name", "said"],
      ["Ada", 'one, "two"\nthree'],
      ["", ""],
      ["last", "x"],
    ]);
  });

  it("leave out the last row of a text that is cut", () => {
    expect(parseCsv("a,b\n1,2\n3", { separator: ",", cut: true })).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });

  it("are separated by what stands most often in the first line", () => {
    expect(["a,b;c,d", "a;b;c", "a\tb", "word"].map(separatorOf)).toEqual([",", ";", "\t", ","]);
  });
});
