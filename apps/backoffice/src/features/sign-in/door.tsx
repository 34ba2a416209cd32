"use client";

import type { ReactNode } from "react";
import { Logo } from "../../shell/logo.tsx";
import { useTheme } from "../../shell/use-theme.ts";

/** The frame of the pages before the sign-in: the brand, a title, a form. */
export function Door({ title, children, intro }: { title: string; intro?: ReactNode; children: ReactNode }) {
  // Follows the machine's theme, and another tab's choice, also before there is a shell.
  useTheme();
  return (
    <main className="relative flex min-h-dvh flex-col items-center justify-center overflow-hidden bg-canvas px-4 py-10">
      <div
        aria-hidden="true"
        className="absolute inset-0 bg-[radial-gradient(var(--color-line-strong)_1px,transparent_1px)] mask-[radial-gradient(ellipse_at_center,black_10%,transparent_62%)] bg-size-[22px_22px] opacity-60"
      />
      <div className="relative w-full max-w-[372px]">
        <div className="mb-7 flex items-center justify-center gap-2.5">
          <Logo size={30} />
          <span className="text-[17px] font-semibold tracking-[-0.02em]">Wheelhouse</span>
        </div>
        <div className="rounded-xl border border-line bg-surface p-6 shadow-[0_1px_2px_rgb(0_0_0/0.03),0_12px_32px_-16px_rgb(0_0_0/0.12)]">
          <h1 className="text-[16px] font-semibold tracking-[-0.012em]">{title}</h1>
          {intro === undefined ? null : <p className="mt-1 text-[13px] leading-relaxed text-muted">{intro}</p>}
          <div className="mt-5">{children}</div>
        </div>
      </div>
    </main>
  );
}
