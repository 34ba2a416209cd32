"use client";

import { Button as KitButton } from "@cloudflare/kumo/components/button";
import { Tooltip } from "@cloudflare/kumo/components/tooltip";
import type { Icon } from "@phosphor-icons/react";
import NextLink from "next/link";
import type { ButtonHTMLAttributes, CSSProperties, ReactNode, Ref } from "react";
import { Kbd } from "./kbd.tsx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "destructive";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children" | "value"> {
  variant?: ButtonVariant;
  size?: "xs" | "sm" | "base";
  icon?: Icon;
  loading?: boolean;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** The kit draws its strong buttons with a gradient; ours are flat. */
const flat = (fill: string, hover: string): CSSProperties => ({
  "--kumo-button-emphasis-ring": fill,
  "--kumo-button-emphasis-bg": hover,
  "--kumo-button-emphasis-gradient-start": fill,
  "--kumo-button-emphasis-gradient-end": fill,
});

const fills: Partial<Record<ButtonVariant, CSSProperties>> = {
  primary: flat("var(--color-accent)", "var(--color-accent-hover)"),
  destructive: flat("var(--color-danger-fill)", "color-mix(in oklch, var(--color-danger-fill), black 10%)"),
};

/** The kit's button at this product's density. */
export function Button({ variant = "secondary", size = "sm", icon, loading, type = "button", ...rest }: ButtonProps) {
  return (
    <KitButton
      {...rest}
      style={{ ...fills[variant], ...rest.style }}
      type={type}
      variant={variant}
      size={size}
      {...(icon === undefined ? {} : { icon })}
      {...(loading === undefined ? {} : { loading })}
    />
  );
}

export interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  icon: Icon;
  /** Names the button and shows in its tooltip. */
  label: string;
  /** Shown beside the label in the tooltip. */
  keys?: string;
  active?: boolean;
  side?: "top" | "bottom" | "left" | "right";
  ref?: Ref<HTMLButtonElement>;
}

/** A square button with an icon; its name is its tooltip. */
export function IconButton({
  icon: Shape,
  label,
  keys,
  active = false,
  side = "bottom",
  className,
  ref,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip
      side={side}
      content={
        <span className="flex items-center gap-2 text-xs">
          {label}
          {keys === undefined ? null : <Kbd keys={keys} />}
        </span>
      }
      render={
        <button
          {...rest}
          ref={ref}
          type="button"
          aria-label={label}
          aria-pressed={active || undefined}
          className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-45 aria-pressed:bg-selected aria-pressed:text-accent-ink ${className ?? ""}`}
        >
          <Shape size={16} aria-hidden="true" />
        </button>
      }
    />
  );
}

export interface LinkButtonProps {
  href: string;
  variant?: "primary" | "secondary";
  icon?: Icon;
  children: ReactNode;
}

/** A link that looks like a button: it goes somewhere. */
export function LinkButton({ href, variant = "secondary", icon: Shape, children }: LinkButtonProps) {
  const look =
    variant === "primary"
      ? "bg-accent text-on-accent hover:bg-accent-hover"
      : "bg-surface text-ink ring ring-line hover:bg-hover";
  return (
    <NextLink
      href={href}
      className={`inline-flex h-[26px] items-center gap-1.5 rounded-md px-2.5 text-xs font-medium ${look}`}
    >
      {Shape === undefined ? null : <Shape size={14} aria-hidden="true" />}
      {children}
    </NextLink>
  );
}
