import { describe, expect, it } from "vitest";
import { isAllowedAddress, parseAllowList } from "./allowed-addresses.ts";

const nothing = parseAllowList([]);

describe("addresses that may be called", () => {
  it.each([
    ["this machine", ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "::127.0.0.1"]],
    [
      "private networks",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1", "fec0::1"],
    ],
    ["the link", ["169.254.0.1", "fe80::1", "fe80::1%eth0"]],
    [
      "a cloud's machine services",
      ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
    ],
    ["a provider's inner network", ["100.64.0.1", "100.127.255.254"]],
    ["many at once", ["224.0.0.1", "239.255.255.250", "ff02::1", "255.255.255.255"]],
    [
      "nobody",
      ["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "240.0.0.1", "2001:db8::1", "3fff::1", "100::1"],
    ],
    [
      "other addresses in disguise",
      ["::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2001:0:a00:1::1", "::ffff:0:7f00:1"],
    ],
    ["no network there is", ["4000::1", "5f00::1", "nonsense", ""]],
  ])("are not those of %s", (_, addresses) => {
    for (const address of addresses) expect(isAllowedAddress(address, nothing), address).toBe(false);
  });

  it("are public ones", () => {
    for (const address of [
      "8.8.8.8",
      "93.184.215.14",
      "172.32.0.1",
      "100.128.0.1",
      "2606:4700::6810:84e5",
      "::ffff:8.8.8.8",
    ])
      expect(isAllowedAddress(address, nothing), address).toBe(true);
  });

  it("are those that the installation allows, and no others beside them", () => {
    const allow = parseAllowList(["10.1.0.0/16", "192.168.7.7", "fd00:1::/32"]);
    for (const address of ["10.1.2.3", "192.168.7.7", "fd00:1:2::3", "::ffff:10.1.2.3"])
      expect(isAllowedAddress(address, allow), address).toBe(true);
    for (const address of ["10.2.0.1", "192.168.7.8", "fd00:2::1", "127.0.0.1"])
      expect(isAllowedAddress(address, allow), address).toBe(false);
  });

  it("are named by hosts, addresses and ranges only", () => {
    expect([...parseAllowList(["Hooks.Internal.", "localhost"]).hosts]).toEqual(["hooks.internal", "localhost"]);
    for (const wrong of ["10.0.0.0/99", "1.2.3", "http://x", "a b", "*", "-x"])
      expect(() => parseAllowList([wrong]), wrong).toThrow(/no host name, address or CIDR range/);
  });
});
