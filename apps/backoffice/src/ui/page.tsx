"use client";

import { CaretRightIcon } from "@phosphor-icons/react";
import Link from "next/link";
import { Fragment, type ReactNode, useEffect } from "react";
import { NavigationToggle } from "../shell/navigation-toggle.tsx";

export interface Crumb {
  label: ReactNode;
  href?: string;
}

export interface PageProps {
  /** The document's title; also the last crumb unless `crumbs` says otherwise. */
  title: string;
  /** The way here. The last one is the page itself. */
  crumbs?: readonly Crumb[];
  /** Beside the crumbs: a status, an id. */
  aside?: ReactNode;
  /** On the right of the header. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of the shell: a slim header with breadcrumbs and actions, and a body that fills the rest and scrolls by itself. */
export function Page({ title, crumbs, aside, actions, children }: PageProps) {
  const trail = crumbs ?? [{ label: title }];
  useEffect(() => {
    document.title = `${title} · Wheelhouse`;
  }, [title]);
  return (
    <div className="flex h-full min-w-0 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-3 md:px-4">
        <NavigationToggle />
        <nav aria-label="Breadcrumb" className="min-w-0 flex-1">
          <ol className="flex min-w-0 items-center gap-1.5">
            {trail.map((crumb, index) => {
              const last = index === trail.length - 1;
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: the place in the trail is the identity of a crumb.
                <Fragment key={index}>
                  {index === 0 ? null : (
                    <li aria-hidden="true" className="shrink-0 text-faint max-sm:hidden">
                      <CaretRightIcon size={11} weight="bold" />
                    </li>
                  )}
                  <li className={`min-w-0 ${last ? "truncate" : "shrink-0 max-sm:hidden"}`}>
                    {last || crumb.href === undefined ? (
                      <h1
                        className="truncate text-[13.5px] font-semibold tracking-[-0.006em] text-ink"
                        aria-current="page"
                      >
                        {crumb.label}
                      </h1>
                    ) : (
                      <Link href={crumb.href} className="rounded text-[13.5px] text-muted hover:text-ink">
                        {crumb.label}
                      </Link>
                    )}
                  </li>
                </Fragment>
              );
            })}
            {aside === undefined ? null : <li className="ml-1.5 flex shrink-0 items-center gap-2">{aside}</li>}
          </ol>
        </nav>
        {actions === undefined ? null : <div className="flex shrink-0 items-center gap-1.5">{actions}</div>}
      </header>
      <div className="min-h-0 flex-1">{children}</div>
    </div>
  );
}
