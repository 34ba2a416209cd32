import { expect, type Page } from "@playwright/test";
import { axeFindings } from "./axe.ts";

const looks = (["light", "dark"] as const).flatMap((colorScheme) =>
  [1440, 390].map((width) => ({ colorScheme, width, height: width === 390 ? 844 : 900 })),
);

/** What is wrong with a page in each theme and width, in lines; pictures of it for people to look at. */
export async function lookAt(page: Page, name: string): Promise<string[]> {
  const findings: string[] = [];
  for (const { colorScheme, width, height } of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-mode", colorScheme);
    await page.screenshot({ path: `test-results/pages/${name}-${colorScheme}-${width}.png` });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    const found = [...(overflow > 0 ? [`${overflow} pixels wider than the screen`] : []), ...(await axeFindings(page))];
    findings.push(...found.map((finding) => `${colorScheme} ${width}: ${finding}`));
  }
  return findings;
}
