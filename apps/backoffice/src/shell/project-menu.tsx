"use client";

import { DropdownMenu } from "@cloudflare/kumo/components/dropdown";
import { CaretUpDownIcon } from "@phosphor-icons/react";
import { chooseProject } from "../data/data-provider.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Logo } from "./logo.tsx";
import { useViewer } from "./viewer.tsx";

/** The project that the pages show. */
export function ProjectMenu() {
  const viewer = useViewer();
  if (viewer === null)
    return (
      <div className="flex h-9 flex-1 items-center gap-2 px-1.5">
        <Logo />
        <Skeleton className="h-3.5 w-24" />
      </div>
    );
  const name = (
    <span className="min-w-0 flex-1 text-left">
      <span className="block truncate text-[13px] leading-tight font-semibold tracking-[-0.006em]">
        {viewer.project.name}
      </span>
      <span className="block truncate text-2xs leading-tight text-muted">Wheelhouse</span>
    </span>
  );
  if (viewer.projects.length < 2)
    return (
      <div className="flex h-9 min-w-0 flex-1 items-center gap-2 px-1.5">
        <Logo />
        {name}
      </div>
    );
  return (
    <DropdownMenu>
      <DropdownMenu.Trigger
        render={
          <button type="button" className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded-md px-1.5 hover:bg-hover">
            <Logo />
            {name}
            <CaretUpDownIcon size={13} aria-hidden="true" className="shrink-0 text-muted" />
          </button>
        }
      />
      <DropdownMenu.Content>
        <DropdownMenu.Group>
          <DropdownMenu.Label>Projects</DropdownMenu.Label>
          {viewer.projects.map((project) => (
            <DropdownMenu.Item
              key={project.id}
              selected={project.id === viewer.project.id}
              onClick={() => chooseProject(project.slug)}
            >
              {project.name}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Group>
      </DropdownMenu.Content>
    </DropdownMenu>
  );
}
