"use client";

import {
  CalendarDotsIcon,
  ChatsIcon,
  FilesIcon,
  FlaskIcon,
  HandPalmIcon,
  type Icon,
  LightningIcon,
  MagnifyingGlassIcon,
  NotePencilIcon,
  RobotIcon,
  WebhooksLogoIcon,
} from "@phosphor-icons/react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { Kbd } from "../ui/kbd.tsx";
import { ConnectionIndicator } from "./connection-indicator.tsx";
import { ProjectMenu } from "./project-menu.tsx";
import { useApprovalCount } from "./use-approval-count.ts";
import { UserMenu } from "./user-menu.tsx";
import { useMay } from "./viewer.tsx";

export interface Destination {
  href: string;
  label: string;
  icon: Icon;
  /** Pressed after `g`. */
  key: string;
}

/** The pages of the product, by what one does there. */
export const destinations: readonly { group: string; pages: readonly Destination[] }[] = [
  {
    group: "Observe",
    pages: [
      { href: "/conversations", label: "Conversations", icon: ChatsIcon, key: "c" },
      { href: "/runs", label: "Runs", icon: LightningIcon, key: "r" },
      { href: "/approvals", label: "Approvals", icon: HandPalmIcon, key: "p" },
    ],
  },
  {
    group: "Build",
    pages: [
      { href: "/agents", label: "Agents", icon: RobotIcon, key: "a" },
      { href: "/playground", label: "Playground", icon: FlaskIcon, key: "l" },
      { href: "/artifacts", label: "Artifacts", icon: FilesIcon, key: "f" },
      { href: "/schedules", label: "Schedules", icon: CalendarDotsIcon, key: "s" },
    ],
  },
  { group: "Manage", pages: [{ href: "/webhooks", label: "Webhooks", icon: WebhooksLogoIcon, key: "w" }] },
];

export interface NavigationProps {
  onSearch: () => void;
  onNewConversation: () => void;
}

/** The left column: project, search, pages, connection, viewer. */
export function Navigation({ onSearch, onNewConversation }: NavigationProps) {
  const path = usePathname();
  const waiting = useApprovalCount();
  const mayWrite = useMay("OPERATOR");
  return (
    <div className="flex h-full flex-col gap-3 px-2.5 pt-2.5 pb-2">
      <div className="flex items-center gap-1">
        <ProjectMenu />
        {mayWrite ? (
          <button
            type="button"
            aria-label="New conversation"
            title="New conversation (N)"
            onClick={onNewConversation}
            className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-hover hover:text-ink"
          >
            <NotePencilIcon size={17} aria-hidden="true" />
          </button>
        ) : null}
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 w-full items-center gap-2 rounded-md border border-line bg-surface px-2 text-[13px] text-muted shadow-[0_1px_1px_rgb(0_0_0/0.03)] hover:border-line-strong hover:text-ink-2"
      >
        <MagnifyingGlassIcon size={14} aria-hidden="true" />
        <span className="flex-1 truncate text-left">Search…</span>
        <Kbd keys="mod+k" />
      </button>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto">
        {destinations.map(({ group, pages }) => (
          <div key={group} className="mb-4">
            <h2 className="mb-1 px-2 text-2xs font-medium text-muted">{group}</h2>
            <ul className="flex flex-col gap-px">
              {pages.map((page) => (
                <li key={page.href}>
                  <NavigationLink
                    page={page}
                    current={path === page.href || path.startsWith(`${page.href}/`)}
                    count={page.href === "/approvals" ? waiting : 0}
                  />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className="flex flex-col gap-1">
        <ConnectionIndicator />
        <UserMenu />
      </div>
    </div>
  );
}

function NavigationLink({ page, current, count }: { page: Destination; current: boolean; count: number }) {
  const Shape = page.icon;
  return (
    <Link
      href={page.href}
      aria-current={current ? "page" : undefined}
      className={`group flex h-[30px] items-center gap-2.5 rounded-md px-2 text-[13px] font-medium ${current ? "bg-selected text-ink" : "text-ink-2 hover:bg-hover hover:text-ink"}`}
    >
      <Shape
        size={16}
        weight={current ? "fill" : "regular"}
        aria-hidden="true"
        className={current ? "text-accent-ink" : "text-muted group-hover:text-ink-2"}
      />
      <span className="flex-1">{page.label}</span>
      {count > 0 ? (
        <span className="tnum inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-full bg-warning-tint px-1.5 text-[11px] font-semibold text-warning-ink">
          {count > 99 ? "99+" : count}
          <span className="sr-only"> waiting</span>
        </span>
      ) : null}
    </Link>
  );
}
