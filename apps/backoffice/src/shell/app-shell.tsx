"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useMemo, useState } from "react";
import { describeError } from "../data/describe-error.ts";
import { useQuery } from "../data/use-query.ts";
import { NewConversationDialog } from "../features/conversations/new-conversation-dialog.tsx";
import { Page } from "../ui/page.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { Drawer } from "./drawer.tsx";
import { destinations, Navigation } from "./navigation.tsx";
import { NavigationProvider } from "./navigation-state.tsx";
import { ShellContext } from "./shell-context.ts";
import { ShortcutSheet } from "./shortcut-sheet.tsx";
import { ShortcutsProvider, useShortcuts } from "./shortcuts.tsx";
import { SignedOut } from "./signed-out.tsx";
import { useMay, ViewerProvider, viewerDocument } from "./viewer.tsx";

/** The frame of every page behind the sign-in. */
export function AppShell({ children }: { children: ReactNode }) {
  const { data, error } = useQuery(viewerDocument, {});
  const signedOut =
    (data !== undefined && data.viewer === null) || (error !== undefined && describeError(error).kind === "signed-out");
  return (
    <ViewerProvider viewer={data?.viewer ?? null}>
      <ShortcutsProvider>
        <NavigationProvider>
          <Frame signedOut={signedOut}>{children}</Frame>
        </NavigationProvider>
      </ShortcutsProvider>
    </ViewerProvider>
  );
}

function Frame({ children, signedOut }: { children: ReactNode; signedOut: boolean }) {
  const router = useRouter();
  const mayWrite = useMay("OPERATOR");
  const [paletteOpen, setPaletteOpen] = useState(false);
  const [sheetOpen, setSheetOpen] = useState(false);
  const [newConversation, setNewConversation] = useState<{ agent?: string } | null>(null);
  const actions = useMemo(
    () => ({
      openPalette: () => setPaletteOpen(true),
      openShortcuts: () => setSheetOpen(true),
      newConversation: (agent?: string) => setNewConversation(agent === undefined ? {} : { agent }),
    }),
    [],
  );
  useShortcuts([
    {
      keys: "mod+k",
      label: "Search or jump to…",
      group: "General",
      whileTyping: true,
      run: () => setPaletteOpen((open) => !open),
    },
    { keys: "?", label: "Keyboard shortcuts", group: "General", run: actions.openShortcuts },
    ...(mayWrite
      ? [{ keys: "n", label: "New conversation", group: "General" as const, run: () => actions.newConversation() }]
      : []),
    ...destinations.flatMap(({ pages }) =>
      pages.map((page) => ({
        keys: `g ${page.key}`,
        label: page.label,
        group: "Go to" as const,
        run: () => router.push(page.href),
      })),
    ),
  ]);
  const navigation = <Navigation onSearch={actions.openPalette} onNewConversation={() => actions.newConversation()} />;
  return (
    <ShellContext value={actions}>
      <a
        href="#main"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <div className="flex h-dvh min-h-0 bg-canvas">
        <aside className="w-[228px] shrink-0 max-md:hidden">{navigation}</aside>
        <Drawer>{navigation}</Drawer>
        <main
          id="main"
          className="min-w-0 flex-1 overflow-hidden bg-surface md:my-2 md:mr-2 md:rounded-lg md:border md:border-line"
        >
          {signedOut ? (
            <Page title="Signed out">
              <SignedOut />
            </Page>
          ) : (
            children
          )}
        </main>
      </div>
      <CommandPalette open={paletteOpen} onOpenChange={setPaletteOpen} />
      <ShortcutSheet open={sheetOpen} onOpenChange={setSheetOpen} />
      <NewConversationDialog
        open={newConversation !== null}
        agent={newConversation?.agent}
        onClose={() => setNewConversation(null)}
      />
    </ShellContext>
  );
}
