"use client";

import {
  ArrowSquareOutIcon,
  ChatTextIcon,
  type Icon,
  KeyboardIcon,
  NotePencilIcon,
  RobotIcon,
  SignOutIcon,
  UploadSimpleIcon,
} from "@phosphor-icons/react";
import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { useDebounced } from "../data/use-debounced.ts";
import { useQuery } from "../data/use-query.ts";
import { useAgentNames } from "../features/agents/use-agent-names.ts";
import { graphql } from "../generated/index.ts";
import { Time } from "../ui/time.tsx";
import { destinations } from "./navigation.tsx";
import { type Command, searchCommands, targetsOfId } from "./palette-search.ts";
import { useShell } from "./shell-context.ts";
import { useSignOut } from "./use-sign-out.ts";
import { themes, useTheme } from "./use-theme.ts";
import { themeIcons } from "./user-menu.tsx";
import { useMay } from "./viewer.tsx";

export interface PaletteItem extends Command {
  icon: Icon;
  detail?: ReactNode;
  keys?: string;
  run: () => void;
}

export interface PaletteGroup {
  label: string;
  items: PaletteItem[];
}

export const paletteConversationsDocument = graphql(`
  query PaletteConversations($text: String!) {
    sessions(first: 8, filter: { text: $text }) {
      nodes { id title firstMessage lastActivityAt agent { id displayName } }
    }
  }
`);

const searchDelayMs = 180;

/** What the palette shows for a query: local matches at once, conversations when the server has found them. */
export function usePaletteItems(query: string): { groups: PaletteGroup[]; searching: boolean } {
  const router = useRouter();
  const text = query.trim();
  const asked = useDebounced(text, searchDelayMs);
  const ids = targetsOfId(text);
  const worthAsking = asked.length >= 2 && ids.length === 0;
  const { data, fetching } = useQuery(paletteConversationsDocument, { text: asked }, { pause: !worthAsking });
  const { pages, actions } = useOwnCommands();
  const agents = useAgentItems();

  const conversations: PaletteItem[] =
    worthAsking && data !== undefined
      ? data.sessions.nodes.map((session) => ({
          id: session.id,
          label: session.title ?? session.firstMessage ?? "Untitled conversation",
          icon: ChatTextIcon,
          detail: (
            <>
              {session.agent.displayName} · <Time at={session.lastActivityAt} />
            </>
          ),
          run: () => router.push(`/conversations/${session.id}`),
        }))
      : [];
  const byId: PaletteItem[] = ids.map(({ label, href }) => ({
    id: href,
    label,
    detail: <span className="mono">{text}</span>,
    icon: ArrowSquareOutIcon,
    run: () => router.push(href),
  }));
  const groups = [
    { label: "By id", items: byId },
    { label: "Pages", items: searchCommands(text, pages) },
    { label: "Actions", items: searchCommands(text, actions) },
    { label: "Agents", items: text === "" ? [] : searchCommands(text, agents).slice(0, 6) },
    { label: "Conversations", items: conversations },
  ];
  return {
    groups: groups.filter((group) => group.items.length > 0),
    searching: text.length >= 2 && ids.length === 0 && (fetching || asked !== text),
  };
}

function useOwnCommands(): { pages: PaletteItem[]; actions: PaletteItem[] } {
  const router = useRouter();
  const { openShortcuts, newConversation } = useShell();
  const [theme, setTheme] = useTheme();
  const signOut = useSignOut();
  const mayWrite = useMay("OPERATOR");
  const mayUpload = useMay("EDITOR");
  const pages = destinations.flatMap((group) =>
    group.pages.map((page) => ({
      id: page.href,
      label: page.label,
      keywords: "go to open page",
      icon: page.icon,
      keys: `g ${page.key}`,
      run: () => router.push(page.href),
    })),
  );
  const themeNames = { light: "light theme", dark: "dark theme", system: "system theme" } as const;
  const actions: PaletteItem[] = [
    ...(mayWrite
      ? [
          {
            id: "new-conversation",
            label: "New conversation",
            keywords: "start chat message agent",
            icon: NotePencilIcon,
            keys: "n",
            run: () => newConversation(),
          },
        ]
      : []),
    ...(mayUpload
      ? [
          {
            id: "upload-artifact",
            label: "Upload an artifact",
            keywords: "file add new version",
            icon: UploadSimpleIcon,
            run: () => router.push("/artifacts?open=upload"),
          },
        ]
      : []),
    ...themes
      .filter((each) => each !== theme)
      .map((each) => ({
        id: `theme-${each}`,
        label: `Switch to ${themeNames[each]}`,
        keywords: "appearance mode colour color",
        icon: themeIcons[each],
        run: () => setTheme(each),
      })),
    {
      id: "shortcuts",
      label: "Keyboard shortcuts",
      keywords: "help keys",
      icon: KeyboardIcon,
      keys: "?",
      run: openShortcuts,
    },
    { id: "sign-out", label: "Sign out", keywords: "log out leave", icon: SignOutIcon, run: signOut },
  ];
  return { pages, actions };
}

function useAgentItems(): PaletteItem[] {
  const router = useRouter();
  const agents = useAgentNames();
  return (agents ?? []).map((agent) => ({
    id: agent.id,
    label: agent.displayName,
    keywords: `agent ${agent.name} ${agent.description ?? ""}`,
    icon: RobotIcon,
    detail: agent.name,
    run: () => router.push(`/agents/${encodeURIComponent(agent.name)}`),
  }));
}
