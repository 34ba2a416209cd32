import ipaddr from "ipaddr.js";

/** What may be called beyond public addresses: hosts by their exact name, and ranges of addresses. */
export interface AllowList {
  hosts: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** Reads host names, addresses and CIDR ranges; throws on what is none of them. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (isAddress(entry)) ranges.push(ipaddr.parseCIDR(`${entry}/${entry.includes(":") ? 128 : 32}`));
    else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(nameOf(entry)) && !/^[\d.]+$/.test(entry))
      hosts.add(nameOf(entry));
    else throw new TypeError(`${JSON.stringify(entry)} is no host name, address or CIDR range`);
  }
  return { hosts, ranges };
}

const isAddress = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** A host name as it is compared: lower case, without the dot of the root. */
export const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, "");

// Of IPv6, global unicast is 2000::/3; everything else is reserved or local, also what has no name yet.
const globalUnicast = ipaddr.parseCIDR("2000::/3");
/** A public address that is answered inside a cloud: Azure's machine services. */
const cloudServices = new Set(["168.63.129.16"]);

/** Whether a call may connect to this address (as a resolver or a URL gives it). */
export function isAllowedAddress(text: string, allow: AllowList): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4 address in IPv6's clothes is the IPv4 address.
  const address = ipaddr.process(text);
  return isPublic(address) || allow.ranges.some((range) => isWithin(address, range));
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return isWithin(address, globalUnicast) || (address.kind() === "ipv4" && !cloudServices.has(address.toString()));
}

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean =>
  address.kind() === range[0].kind() && address.match(range);
