"use client";

import { DropdownMenu } from "@cloudflare/kumo/components/dropdown";
import { SortAscendingIcon, SortDescendingIcon } from "@phosphor-icons/react";

export interface SortMenuProps<O extends string> {
  orders: readonly { order: O; label: string }[];
  value: O;
  onChange: (order: O) => void;
}

/** Chooses the order of a list. */
export function SortMenu<O extends string>({ orders, value, onChange }: SortMenuProps<O>) {
  const current = orders.find((each) => each.order === value);
  const Shape = value.endsWith("ASC") ? SortAscendingIcon : SortDescendingIcon;
  return (
    <DropdownMenu>
      <DropdownMenu.Trigger
        render={
          <button
            type="button"
            aria-label={`Order: ${current?.label ?? ""}`}
            className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-xs text-muted hover:bg-hover hover:text-ink data-popup-open:bg-hover"
          >
            <Shape size={15} aria-hidden="true" />
            <span className="max-lg:sr-only">{current?.label}</span>
          </button>
        }
      />
      <DropdownMenu.Content align="end" className="min-w-52">
        {orders.map((each) => (
          <DropdownMenu.Item key={each.order} selected={each.order === value} onClick={() => onChange(each.order)}>
            {each.label}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu>
  );
}
