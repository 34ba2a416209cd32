"use client";

import { Toasty } from "@cloudflare/kumo/components/toast";
import { TooltipProvider } from "@cloudflare/kumo/components/tooltip";
import { LinkProvider } from "@cloudflare/kumo/utils";
import NextLink from "next/link";
import { type AnchorHTMLAttributes, forwardRef, type ReactNode } from "react";
import { DataProvider } from "../data/data-provider.tsx";
import { TimeProvider } from "../ui/time.tsx";

const KitLink = forwardRef<HTMLAnchorElement, AnchorHTMLAttributes<HTMLAnchorElement>>(({ href, ...rest }, ref) => (
  <NextLink ref={ref} href={href ?? ""} {...rest} />
));
KitLink.displayName = "KitLink";

/** What every page stands in: the API client, the kit's link, toasts, tooltips and one clock. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <LinkProvider component={KitLink}>
      <DataProvider>
        <TimeProvider>
          <TooltipProvider delay={350}>
            <Toasty>{children}</Toasty>
          </TooltipProvider>
        </TimeProvider>
      </DataProvider>
    </LinkProvider>
  );
}
